//! [`SchemaType`]: the type of a schema's values.
//!
//! A scalar type is one file with a type that implements [`ScalarRules`], and one line in the list below.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::collection::PropertyCollection;
use crate::constraint::{Constraint, ConstraintError};
use crate::pattern::CompiledPatterns;
use crate::pending_violation::ViolationSink;
use crate::registry::Registry;
use crate::schema::Schema;
use crate::schema_object::SchemaObject;

#[macro_use]
mod dispatch;

pub(crate) mod array;
pub(crate) mod boolean;
pub(crate) mod count;
pub(crate) mod date;
pub(crate) mod date_time;
pub(crate) mod enumeration;
pub(crate) mod integer;
pub(crate) mod map;
pub(crate) mod number;
pub(crate) mod one_of;
pub(crate) mod scalar;
pub(crate) mod string;
pub(crate) mod text;
pub(crate) mod uuid;

pub use one_of::OneOf;
pub(crate) use scalar::Scalar;

use array::ArrayType;
use map::MapType;

scalar_types! {
    String(string::StringType),
    Integer(integer::IntegerType),
    Number(number::NumberType),
    Boolean(boolean::BooleanType),
    Date(date::DateType),
    DateTime(date_time::DateTimeType),
    Uuid(uuid::UuidType),
    Enumeration(enumeration::EnumerationType),
}

/// The type of a schema's values, with the constraints that belong to it.
///
/// [`Schema::schema_type`](crate::Schema::schema_type) returns one; run-time declarations rarely name it, since the functions that make properties, such as
/// [`string`](crate::string), choose it.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaType(pub(crate) SchemaTypeRepr);

/// The representation of a type. Clones share what it contains, because operations contain many clones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SchemaTypeRepr {
    Scalar(ScalarType),
    Array(Arc<ArrayType>),
    Object(Arc<PropertyCollection>),
    Map(Arc<MapType>),
    OneOf(Arc<OneOf>),
    Any,
    Reference(Cow<'static, str>),
    OfType(OfType),
}

/// The type of a Rust type, looked up when a registry is at hand.
#[derive(Clone, Copy)]
pub(crate) struct OfType {
    /// Lifetimes are erased: a type that borrows has one schema.
    pub(crate) id: TypeId,
    /// For messages.
    pub(crate) name: &'static str,
    pub(crate) schema_type: fn(&mut Registry) -> SchemaType,
}

impl PartialEq for OfType {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl fmt::Debug for OfType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// The behaviour of one type of scalar.
pub(crate) trait ScalarRules {
    /// The name by which a message calls it.
    fn name(&self) -> &'static str;

    /// The JSON type of its values, as a message calls it.
    fn type_name(&self) -> &'static str {
        "string"
    }

    /// The constraints that it takes, for the message to whoever wrote another.
    const TAKES: &'static [&'static str] = &[];

    /// Takes a constraint, or rejects it.
    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        let _ = constraint;
        Err(ConstraintError::Misfit)
    }

    /// The contradictions among its constraints.
    fn conflicts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Makes it ready to check, when the schema is compiled.
    fn prepare(&mut self, patterns: &mut CompiledPatterns) -> Result<(), String> {
        let _ = patterns;
        Ok(())
    }

    /// The form in which the user's type reads the value: `1.0` as `1` for an integer.
    #[inline]
    fn normal<'v>(&self, value: Scalar<'v>) -> Scalar<'v> {
        value
    }

    /// Reports everything that is wrong with a value.
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S);

    /// The value that a parameter's text stands for, if it is of this type at all.
    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        Some(Scalar::Text(text))
    }

    /// Its JSON Schema.
    fn schema(&self) -> Map<String, Value>;
}

impl SchemaType {
    /// A reference to a named schema.
    #[must_use]
    pub fn reference(name: impl Into<Cow<'static, str>>) -> Self {
        Self(SchemaTypeRepr::Reference(name.into()))
    }

    /// The type of a Rust type's values, for a declaration at run time that uses a schema of the code.
    #[must_use]
    pub fn of<T: Schema + ?Sized>() -> Self {
        Self(SchemaTypeRepr::OfType(OfType {
            id: typeid::of::<T>(),
            name: std::any::type_name::<T>(),
            schema_type: T::schema_type,
        }))
    }

    /// Any JSON value.
    #[must_use]
    pub fn any() -> Self {
        Self(SchemaTypeRepr::Any)
    }

    /// An array of items: a schema, such as a [`PropertyCollection`].
    #[must_use]
    pub fn array(items: impl Into<SchemaObject>) -> Self {
        Self(SchemaTypeRepr::Array(Arc::new(ArrayType::new(items.into()))))
    }

    /// An object that maps any names to values.
    #[must_use]
    pub fn map(values: impl Into<SchemaObject>) -> Self {
        Self(SchemaTypeRepr::Map(Arc::new(MapType::new(values.into()))))
    }

    /// The name by which a message calls the type, such as `int32` or `object`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.name(),
            SchemaTypeRepr::Array(_) => "array",
            SchemaTypeRepr::Object(_) | SchemaTypeRepr::Map(_) => "object",
            SchemaTypeRepr::OneOf(_) => "one of several objects",
            SchemaTypeRepr::Any => "any value",
            SchemaTypeRepr::Reference(_) => "reference",
            SchemaTypeRepr::OfType(_) => "value of a Rust type",
        }
    }

    /// Returns the collection of an object that is declared in place.
    #[must_use]
    pub fn as_collection(&self) -> Option<&PropertyCollection> {
        match &self.0 {
            SchemaTypeRepr::Object(collection) => Some(collection),
            _ => None,
        }
    }

    /// The name of the schema that is referred to, if this is a reference.
    #[must_use]
    pub fn referred(&self) -> Option<&str> {
        match &self.0 {
            SchemaTypeRepr::Reference(name) => Some(name),
            _ => None,
        }
    }

    /// A legible part of a component's name: `Pet` for a reference, `ListOfPet` for an array of them, `Int32` for an integer.
    ///
    /// A generic type is named after its arguments with it: `PagePet`.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.0 {
            SchemaTypeRepr::Scalar(scalar) => pascal_case(scalar.name()),
            SchemaTypeRepr::Array(array) => format!("ListOf{}", array.items.schema_type.label()),
            SchemaTypeRepr::Object(collection) if collection.name.is_empty() => "Object".to_owned(),
            SchemaTypeRepr::Object(collection) => collection.name.to_string(),
            SchemaTypeRepr::Map(map) => format!("MapOf{}", map.values.schema_type.label()),
            SchemaTypeRepr::OneOf(one_of) => one_of.name.to_string(),
            SchemaTypeRepr::Any => "Any".to_owned(),
            SchemaTypeRepr::Reference(name) => name.to_string(),
            SchemaTypeRepr::OfType(of_type) => pascal_case(of_type.name.rsplit("::").next().unwrap_or(of_type.name)),
        }
    }

    /// Takes a constraint, or says why not.
    pub(crate) fn constrain(&mut self, constraint: &Constraint) -> Result<(), String> {
        let refused = match &mut self.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.constrain(constraint),
            SchemaTypeRepr::Array(array) => Arc::make_mut(array).constrain(constraint),
            SchemaTypeRepr::Map(map) => Arc::make_mut(map).count.constrain(constraint),
            SchemaTypeRepr::Object(collection) => Arc::make_mut(collection).count.constrain(constraint),
            SchemaTypeRepr::OneOf(_)
            | SchemaTypeRepr::Any
            | SchemaTypeRepr::Reference(_)
            | SchemaTypeRepr::OfType(_) => Err(ConstraintError::Misfit),
        };
        refused.map_err(|refused| match refused {
            ConstraintError::Misfit => self.misfit(constraint),
            ConstraintError::Invalid(instead) => instead,
        })
    }

    fn misfit(&self, constraint: &Constraint) -> String {
        let takes = match &self.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.takes(),
            SchemaTypeRepr::Array(_) => array::TAKES,
            SchemaTypeRepr::Map(_) | SchemaTypeRepr::Object(_) => count::TAKES,
            SchemaTypeRepr::OneOf(_)
            | SchemaTypeRepr::Any
            | SchemaTypeRepr::Reference(_)
            | SchemaTypeRepr::OfType(_) => &[],
        };
        let instead = match (&self.0, takes) {
            (SchemaTypeRepr::Reference(name), _) => format!("put it where `{name}` is declared"),
            (SchemaTypeRepr::OfType(of_type), _) => format!("put it on the type `{}`", of_type.name),
            (_, []) => "remove it".to_owned(),
            (_, takes) => format!("it takes {}", takes.join(", ")),
        };
        format!(
            "`{}` means nothing for {}; {instead}",
            constraint.name(),
            crate::pending_violation::with_article(self.name())
        )
    }
}

/// A collection of properties as the type of a value.
impl From<PropertyCollection> for SchemaType {
    fn from(collection: PropertyCollection) -> Self {
        Self(SchemaTypeRepr::Object(Arc::new(collection)))
    }
}

impl From<OneOf> for SchemaType {
    fn from(one_of: OneOf) -> Self {
        Self(SchemaTypeRepr::OneOf(Arc::new(one_of)))
    }
}

/// `date-time` as `DateTime`, `circle` as `Circle`; letters beyond ASCII by their code points, since a component's name has none.
pub(crate) fn pascal_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut starts_word = true;
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            result.push(if starts_word { character.to_ascii_uppercase() } else { character });
            starts_word = false;
            continue;
        }
        if character.is_alphanumeric() {
            result.push_str(&format!("U{:04X}", u32::from(character)));
        }
        starts_word = true;
    }
    result
}
