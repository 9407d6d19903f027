//! Defines [`SchemaType`], the type of a value, such as a string, an array or an object.
//!
//! To add a scalar type, write a file with a type that implements [`ScalarRules`], and add a line to the list below.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::constraint::{Constraint, ConstraintError};
use crate::pattern::CompiledPatterns;
use crate::pending_violation::ViolationSink;
use crate::shape::collection::PropertyCollection;
use crate::shape::registry::Registry;
use crate::shape::schema::Schema;
use crate::shape::schema_object::SchemaObject;

#[macro_use]
mod dispatch;

pub(in crate::shape) mod any_of;
pub(in crate::shape) mod array;
pub(in crate::shape) mod boolean;
pub(in crate::shape) mod count;
pub(in crate::shape) mod date;
pub(in crate::shape) mod date_time;
#[cfg(feature = "rust_decimal")]
pub(in crate::shape) mod decimal;
pub(in crate::shape) mod enumeration;
pub(in crate::shape) mod file;
mod inner;
pub(in crate::shape) mod integer;
pub(in crate::shape) mod map;
pub(in crate::shape) mod number;
pub(in crate::shape) mod one_of;
pub(in crate::shape) mod scalar;
pub(in crate::shape) mod string;
pub(in crate::shape) mod text;
pub(in crate::shape) mod tuple;
pub(in crate::shape) mod uuid;

pub use file::FileRules;
pub use one_of::OneOf;
pub(in crate::shape) use scalar::Scalar;

use any_of::AnyOfType;
use array::ArrayType;
use map::MapType;
use tuple::TupleType;

scalar_types! {
    String(string::StringType),
    Integer(integer::IntegerType),
    Number(number::NumberType),
    Boolean(boolean::BooleanType),
    Date(date::DateType),
    DateTime(date_time::DateTimeType),
    Uuid(uuid::UuidType),
    Enumeration(enumeration::EnumerationType),
    File(file::FileType),
    #[cfg(feature = "rust_decimal")]
    Decimal(decimal::DecimalType),
}

/// The type of a value, such as a string, an array or an object, with its constraints.
///
/// [`Schema::schema_type`](crate::Schema::schema_type) returns this type. Run-time declarations rarely use it directly,
/// because functions such as [`string`](crate::string) create it.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaType(pub(in crate::shape) SchemaTypeRepr);

/// The internal representation of a schema type. Clones are cheap, because operations contain many of them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) enum SchemaTypeRepr {
    Scalar(ScalarType),
    Array(Arc<ArrayType>),
    Tuple(Arc<TupleType>),
    Object(Arc<PropertyCollection>),
    Map(Arc<MapType>),
    OneOf(Arc<OneOf>),
    AnyOf(Arc<AnyOfType>),
    Any,
    Reference(Cow<'static, str>),
    OfType(OfType),
}

/// A reference to the schema of a Rust type. It is resolved when a registry is available.
#[derive(Clone, Copy)]
pub(in crate::shape) struct OfType {
    /// The identifier of the Rust type, without its lifetimes. A type that borrows has one schema for all lifetimes.
    pub(in crate::shape) id: TypeId,
    /// The name of the Rust type, for error messages.
    pub(in crate::shape) name: &'static str,
    pub(in crate::shape) schema_type: fn(&mut Registry) -> SchemaType,
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

/// Defines the constraints, checks and JSON Schema of a scalar type.
pub(in crate::shape) trait ScalarRules {
    /// Returns the name of the type for error messages.
    fn name(&self) -> &'static str;

    /// Returns the JSON type of the values, for error messages.
    fn type_name(&self) -> &'static str {
        "string"
    }

    /// The names of the constraints that the type accepts, for error messages.
    const TAKES: &'static [&'static str] = &[];

    /// Adds a constraint to the type. Fails if the constraint does not fit the type.
    fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        let _ = constraint;
        Err(ConstraintError::Misfit)
    }

    /// Returns an error message for each contradiction between constraints.
    fn conflicts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Prepares the type for checks when the schema is compiled, for example by compiling a pattern.
    fn prepare(&mut self, patterns: &mut CompiledPatterns) -> Result<(), String> {
        let _ = patterns;
        Ok(())
    }

    /// Normalises a value for deserialization. For example, an integer type converts `1.0` to `1`.
    #[inline]
    fn normal<'v>(&self, value: Scalar<'v>) -> Scalar<'v> {
        value
    }

    /// Reports all violations of a value.
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S);

    /// Converts the string of a parameter to a value. Returns `None` if the string cannot be converted.
    fn read_text<'t>(&self, text: &'t str) -> Option<Scalar<'t>> {
        Some(Scalar::Text(text))
    }

    /// Returns the JSON Schema of the type.
    fn schema(&self) -> Map<String, Value>;
}

impl SchemaType {
    /// Creates a reference to a named schema.
    #[must_use]
    pub fn reference(name: impl Into<Cow<'static, str>>) -> Self {
        Self(SchemaTypeRepr::Reference(name.into()))
    }

    /// Creates the schema type of a Rust type, for use in run-time declarations.
    #[must_use]
    pub fn of<T: Schema + ?Sized>() -> Self {
        Self(SchemaTypeRepr::OfType(OfType {
            id: typeid::of::<T>(),
            name: std::any::type_name::<T>(),
            schema_type: T::schema_type,
        }))
    }

    /// Creates a type that accepts any JSON value. Its numbers are integers of 64 bits, or else the nearest doubles.
    #[must_use]
    pub fn any() -> Self {
        Self(SchemaTypeRepr::Any)
    }

    /// Creates an array type. `items` is the schema of the items, such as a [`PropertyCollection`].
    #[must_use]
    pub fn array(items: impl Into<SchemaObject>) -> Self {
        Self(SchemaTypeRepr::Array(Arc::new(ArrayType::new(items.into()))))
    }

    /// Creates a map type, which is an object with arbitrary property names. `values` is the schema of its values.
    #[must_use]
    pub fn map(values: impl Into<SchemaObject>) -> Self {
        Self(SchemaTypeRepr::Map(Arc::new(MapType::new(values.into()))))
    }

    /// Creates a map type whose property names are values of `keys`: strings, integers, dates, UUIDs, or an enumeration of
    /// strings. A name of an integer has its shortest spelling, such as `7` and not `07`.
    #[must_use]
    pub fn keyed_map(keys: impl Into<SchemaObject>, values: impl Into<SchemaObject>) -> Self {
        let map = MapType { keys: Some(keys.into()), ..MapType::new(values.into()) };
        Self(SchemaTypeRepr::Map(Arc::new(map)))
    }

    /// Creates a tuple type, which is an array with one schema for each item.
    #[must_use]
    pub fn tuple<S: Into<SchemaObject>>(items: impl IntoIterator<Item = S>) -> Self {
        Self(SchemaTypeRepr::Tuple(Arc::new(TupleType { items: items.into_iter().map(Into::into).collect() })))
    }

    /// Creates an untagged union: a value must match at least one of the schemas, and the first that matches is read.
    ///
    /// If no schema matches, the closest schema reports its violations. A union cannot contain itself, because finding
    /// the schema would take exponential time; use [`OneOf`] for a recursive union.
    #[must_use]
    pub fn any_of<S: Into<SchemaObject>>(variants: impl IntoIterator<Item = S>) -> Self {
        Self(SchemaTypeRepr::AnyOf(Arc::new(AnyOfType { variants: variants.into_iter().map(Into::into).collect() })))
    }

    /// Returns the name of the type for error messages, such as `int32` or `object`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match &self.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.name(),
            SchemaTypeRepr::Array(_) | SchemaTypeRepr::Tuple(_) => "array",
            SchemaTypeRepr::Object(_) | SchemaTypeRepr::Map(_) => "object",
            SchemaTypeRepr::OneOf(_) => "one of several objects",
            SchemaTypeRepr::AnyOf(_) => "one of several types",
            SchemaTypeRepr::Any => "any value",
            SchemaTypeRepr::Reference(_) => "reference",
            SchemaTypeRepr::OfType(_) => "value of a Rust type",
        }
    }

    /// Returns the schema of the items if the type is an inline array, or `None`.
    #[must_use]
    pub fn items(&self) -> Option<&SchemaObject> {
        match &self.0 {
            SchemaTypeRepr::Array(array) => Some(&array.items),
            _ => None,
        }
    }

    /// Returns the number of digits after the point, if the type is a decimal with a declared scale.
    #[must_use]
    pub fn scale(&self) -> Option<u32> {
        match &self.0 {
            #[cfg(feature = "rust_decimal")]
            SchemaTypeRepr::Scalar(ScalarType::Decimal(decimal)) => decimal.scale(),
            _ => None,
        }
    }

    /// Returns the collection if the type is an inline object, or `None`.
    #[must_use]
    pub fn as_collection(&self) -> Option<&PropertyCollection> {
        match &self.0 {
            SchemaTypeRepr::Object(collection) => Some(collection),
            _ => None,
        }
    }

    /// Returns the name of the referenced schema if the type is a reference, or `None`.
    #[must_use]
    pub fn referred(&self) -> Option<&str> {
        match &self.0 {
            SchemaTypeRepr::Reference(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the label that component names use for the type. It is `Pet` for a reference, `ListOfPet` for an array
    /// of references, or `Int32` for an integer.
    ///
    /// Generic types use the labels of their arguments in their names, such as `PagePet`. See
    /// [`SchemaObject::label`] for types that may be null.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.0 {
            SchemaTypeRepr::Scalar(scalar) => pascal_case(scalar.name()),
            SchemaTypeRepr::Array(array) => format!("ListOf{}", array.items.label()),
            SchemaTypeRepr::Tuple(tuple) => format!("TupleOf{}", labels(&tuple.items, "And")),
            SchemaTypeRepr::AnyOf(any_of) => labels(&any_of.variants, "Or"),
            SchemaTypeRepr::Object(collection) if collection.name.is_empty() => "Object".to_owned(),
            SchemaTypeRepr::Object(collection) => collection.name.to_string(),
            SchemaTypeRepr::Map(map) => {
                let keys = map.keys.as_ref().map_or_else(String::new, |keys| format!("{}To", keys.label()));
                format!("MapOf{keys}{}", map.values.label())
            }
            SchemaTypeRepr::OneOf(one_of) => one_of.name.to_string(),
            SchemaTypeRepr::Any => "Any".to_owned(),
            SchemaTypeRepr::Reference(name) => name.to_string(),
            SchemaTypeRepr::OfType(of_type) => pascal_case(of_type.name.rsplit("::").next().unwrap_or(of_type.name)),
        }
    }

    /// Adds a constraint to the type. Returns an error message if the type rejects it.
    pub(in crate::shape) fn constrain(&mut self, constraint: &Constraint) -> Result<(), String> {
        let refused = match &mut self.0 {
            SchemaTypeRepr::Scalar(scalar) => scalar.constrain(constraint),
            SchemaTypeRepr::Array(array) => Arc::make_mut(array).constrain(constraint),
            SchemaTypeRepr::Map(map) => Arc::make_mut(map).count.constrain(constraint),
            SchemaTypeRepr::Object(collection) => Arc::make_mut(collection).count.constrain(constraint),
            SchemaTypeRepr::Tuple(_)
            | SchemaTypeRepr::OneOf(_)
            | SchemaTypeRepr::AnyOf(_)
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
            SchemaTypeRepr::Tuple(_)
            | SchemaTypeRepr::OneOf(_)
            | SchemaTypeRepr::AnyOf(_)
            | SchemaTypeRepr::Any
            | SchemaTypeRepr::Reference(_)
            | SchemaTypeRepr::OfType(_) => &[],
        };
        let instead = match (&self.0, takes) {
            (SchemaTypeRepr::Reference(name), _) => format!("put it where `{name}` is declared"),
            (SchemaTypeRepr::OfType(of_type), _) => format!("put it on the type `{}`", of_type.name),
            (_, []) => "remove it".to_owned(),
            (_, takes) => format!("it supports {}", takes.join(", ")),
        };
        format!(
            "`{}` has no meaning for {}; {instead}",
            constraint.name(),
            crate::pending_violation::with_article(self.name())
        )
    }
}

/// Converts a collection to an inline object type.
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

fn labels(schemas: &[SchemaObject], separator: &str) -> String {
    schemas.iter().map(SchemaObject::label).collect::<Vec<_>>().join(separator)
}

/// Converts a name to Pascal case. For example, `date-time` becomes `DateTime`. Non-ASCII letters become their code
/// points, because component names are ASCII.
pub(in crate::shape) fn pascal_case(name: &str) -> String {
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
