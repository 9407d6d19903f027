//! [`Item`] and [`RustType`]: the model of generated types, from which the source is written.

use std::fmt;

/// A Rust type in generated code.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RustType {
    /// A type of another crate or the standard library.
    Plain(&'static str),
    /// A generated type.
    Named(String),
    Option(Box<RustType>),
    List(Box<RustType>),
    Map(Box<RustType>),
    /// A boxed type, where a recursive type contains itself.
    Boxed(Box<RustType>),
}

/// The type for any JSON value.
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

/// A generated type with its conversions.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) kind: ItemKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum ItemKind {
    Struct {
        fields: Vec<Field>,
        of: StructOf,
    },
    /// An enum of strings. Each variant has a name and a value.
    Enumeration(Vec<(String, String)>),
    /// An enum of structs. The property `tag` selects the variant.
    Union {
        tag: String,
        variants: Vec<UnionVariant>,
    },
    /// The filters of a list. Each field has the type of its values.
    Filters(Vec<Field>),
    /// An enum of sort fields. Each variant has a name and the name of its field.
    Sort(Vec<(String, String)>),
}

/// The framework type that a struct is converted from or to.
#[derive(Debug, PartialEq)]
pub(super) enum StructOf {
    Bag,
    Request,
    Response(u16),
    /// The `EntityBag` of a resource.
    Entity,
}

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) docs: Vec<String>,
    pub(super) identifier: String,
    pub(super) name: String,
    pub(super) rust_type: RustType,
    /// `true` if `None` is omitted instead of written as null.
    pub(super) is_left_out: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct UnionVariant {
    pub(super) identifier: String,
    pub(super) value: String,
    pub(super) rust_type: RustType,
}
