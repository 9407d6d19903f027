//! Defines [`RustItem`] and [`RustType`], which represent generated types before they become source code.

use std::fmt;

/// A Rust type in generated code.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RustType {
    /// A type of the standard library or of another crate.
    Plain(&'static str),
    /// The name of a generated type.
    Named(String),
    Option(Box<RustType>),
    List(Box<RustType>),
    Map(Box<RustType>),
    /// A type in a `Box`. A recursive type can contain itself only in a `Box`.
    Boxed(Box<RustType>),
}

/// The Rust type for any JSON value.
pub(super) const ANY: RustType = RustType::Plain("serde_json::Value");

impl RustType {
    pub(super) fn optional(self) -> Self {
        match self {
            Self::Option(_) => self,
            other => Self::Option(Box::new(other)),
        }
    }
}

impl fmt::Display for RustType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(name) => formatter.write_str(name),
            Self::Named(name) => formatter.write_str(name),
            Self::Option(value) => write!(formatter, "Option<{value}>"),
            Self::List(items) => write!(formatter, "Vec<{items}>"),
            Self::Map(values) => write!(formatter, "std::collections::BTreeMap<String, {values}>"),
            Self::Boxed(value) => write!(formatter, "Box<{value}>"),
        }
    }
}

/// A generated type with its name and doc comment.
#[derive(Debug)]
pub(super) struct RustItem {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) kind: ItemKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum ItemKind {
    Struct {
        fields: Vec<StructField>,
        of: StructOf,
    },
    /// An enum for a string enumeration. Each variant has a name and a string value.
    Enumeration(Vec<(String, String)>),
    /// An enum whose variants contain structs. The property `tag` selects the variant.
    Union {
        tag: String,
        variants: Vec<UnionVariant>,
    },
    /// A struct for the filters of a list. Each field has the type of its filter values.
    Filters(Vec<StructField>),
    /// An enum for the sort fields of a list. Each variant has a name and the name of its sort field.
    Sort(Vec<(String, String)>),
}

/// The framework type that a generated struct is converted from or to.
#[derive(Debug, PartialEq)]
pub(super) enum StructOf {
    Bag,
    Request,
    Response(u16),
    /// The struct is converted from the `EntityBag` of a resource.
    Entity,
}

#[derive(Debug, PartialEq)]
pub(super) struct StructField {
    pub(super) docs: Vec<String>,
    pub(super) identifier: String,
    pub(super) name: String,
    pub(super) rust_type: RustType,
    /// `true` if a field that is `None` is omitted in JSON, and `false` if it is serialized as null.
    pub(super) is_left_out: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct UnionVariant {
    pub(super) identifier: String,
    pub(super) value: String,
    pub(super) rust_type: RustType,
}
