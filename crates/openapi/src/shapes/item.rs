//! The items of a generated module.

use std::fmt;

/// A Rust type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RustType {
    /// A type that is not generated.
    Plain(&'static str),
    /// A generated type.
    Named(String),
    Option(Box<RustType>),
    List(Box<RustType>),
    Map(Box<RustType>),
    /// A type behind a pointer, since it contains the type around it.
    Boxed(Box<RustType>),
}

/// Any JSON value.
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

/// An item with the code that belongs to it.
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
    /// One of several texts: the names of the variants with their values.
    Enumeration(Vec<(String, String)>),
    /// One of several structs, told apart by a property.
    Union {
        tag: String,
        variants: Vec<UnionVariant>,
    },
    /// The filters of a list; each field has the type of its values.
    Filters(Vec<Field>),
    /// The fields to sort by: the names of the variants with those of the fields.
    Sort(Vec<(String, String)>),
}

/// The value that a struct is converted from and to.
#[derive(Debug, PartialEq)]
pub(super) enum StructOf {
    Bag,
    Request,
    Response(u16),
    /// An entity of a resource that is declared at run time.
    Entity,
}

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) docs: Vec<String>,
    pub(super) identifier: String,
    pub(super) name: String,
    pub(super) rust_type: RustType,
    /// `None` is left out and not null.
    pub(super) is_left_out: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct UnionVariant {
    pub(super) identifier: String,
    pub(super) value: String,
    pub(super) rust_type: RustType,
}
