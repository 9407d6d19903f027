//! Defines [`Typed`], a property or a schema of a Rust type. The compiler rejects constraints that do not fit the type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::Value;

use crate::format::Format;
use crate::mode::Modes;
use crate::number::Number;
use crate::shape::markers::{HasCharacters, HasItems, HasProperties, HasRange, HasScale, HasSize, HasUniqueItems};
use crate::shape::property::Property;
use crate::shape::registry::Registry;
use crate::shape::schema::Schema;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::SchemaType;

/// A [`Property`] or a [`SchemaObject`] of the Rust type `T`. The compiler checks that its constraints fit the type.
///
/// ```compile_fail
/// # use restwright_schema::{Registry, typed};
/// typed::<i64>(&mut Registry::new(), "age").min_length(1);
/// ```
#[must_use = "a property has no effect until it is added to a collection"]
pub struct Typed<T: ?Sized, D = Property> {
    declaration: D,
    of: PhantomData<fn() -> Box<T>>,
}

/// A [`SchemaObject`] of the Rust type `T`, with checked constraints.
pub type TypedSchema<T> = Typed<T, SchemaObject>;

/// Creates a property of the Rust type `T`. It is nullable if [`Schema::NULLABLE`] is `true`, and optional in input if
/// [`Schema::OPTIONAL`] is `true`.
///
/// In output the property is required: serde writes `None` as null, unless it skips the field
/// ([`Typed::output_optional`](Typed#method.output_optional)).
pub fn typed<T: Schema + ?Sized>(registry: &mut Registry, name: impl Into<Cow<'static, str>>) -> Typed<T> {
    let schema = value_schema(T::schema_type(registry), T::NULLABLE);
    Typed::new(property(name.into(), schema, T::OPTIONAL, T::REQUIRES_DEFAULT))
}

/// Creates a property. It is not generic, so it is compiled once.
fn property(name: Cow<'static, str>, schema: SchemaObject, is_optional: bool, is_patch: bool) -> Property {
    let mut property = Property::new(name, schema);
    if is_optional {
        property.serde_mut().optional_input = true;
    }
    // A `Patch` may be absent on both sides.
    property.optional = is_patch;
    property.is_patch = is_patch;
    property
}

/// Creates the schema of the Rust type `T`, for an item, a body or a response. It is nullable if [`Schema::NULLABLE`]
/// is `true`.
pub fn typed_schema<T: Schema + ?Sized>(registry: &mut Registry) -> TypedSchema<T> {
    Typed::new(value_schema(T::schema_type(registry), T::NULLABLE))
}

fn value_schema(schema_type: SchemaType, nullable: bool) -> SchemaObject {
    SchemaObject { nullable, ..SchemaObject::new(schema_type) }
}

/// Defines methods that call the same method of the inner property or schema.
macro_rules! handed_on {
    ($declaration:ident { $($method:ident($($argument:ident: $type:ty)?) $(where $bound:ident)?,)* }) => {
        impl<T: ?Sized> Typed<T, $declaration> {
            $(
                #[doc = concat!("See [`", stringify!($declaration), "::", stringify!($method), "`].")]
                pub fn $method(self $(, $argument: $type)?) -> Self $(where T: $bound)? {
                    Self { declaration: self.declaration.$method($($argument)?), of: PhantomData }
                }
            )*
        }
    };
}

/// Defines methods of [`Typed`] for Rust types that satisfy a trait bound.
macro_rules! bounded {
    ($($bound:ident { $($method:ident($($argument:ident: $type:ty)?),)* })*) => {
        handed_on! { Property { $($($method($($argument: $type)?) where $bound,)*)* } }
        handed_on! { SchemaObject { $($($method($($argument: $type)?) where $bound,)*)* } }
    };
}

/// Defines methods of [`Typed`] for all Rust types.
macro_rules! common {
    ($($method:ident($($argument:ident: $type:ty)?),)*) => {
        handed_on! { Property { $($method($($argument: $type)?),)* } }
        handed_on! { SchemaObject { $($method($($argument: $type)?),)* } }
    };
}

bounded! {
    HasCharacters {
        min_length(characters: usize),
        max_length(characters: usize),
        pattern(pattern: &str),
        format(format: Format),
    }
    HasRange {
        minimum(bound: impl Into<Number>),
        maximum(bound: impl Into<Number>),
        exclusive_minimum(bound: impl Into<Number>),
        exclusive_maximum(bound: impl Into<Number>),
        multiple_of(step: impl Into<Number>),
    }
    HasScale {
        scale(digits: u32),
    }
    HasItems {
        min_items(items: usize),
        max_items(items: usize),
    }
    HasUniqueItems {
        unique_items(),
    }
    HasSize {
        max_size(bytes: u64),
        accept(media_types: &str),
        check_content(),
    }
    HasProperties {
        min_properties(properties: usize),
        max_properties(properties: usize),
    }
}

common! {
    constant(value: impl Into<Value>),
    default_value(value: impl Into<Value>),
    nullable(),
    deprecated(),
    title(title: impl Into<String>),
    description(description: impl Into<String>),
    example(example: impl Into<Value>),
}

handed_on! {
    Property {
        optional(),
        read_only(),
        write_only(),
        modes(modes: impl Into<Modes>),
        input_name(name: impl Into<Cow<'static, str>>),
        output_name(name: impl Into<Cow<'static, str>>),
        alias(name: impl Into<Cow<'static, str>>),
        input_optional(),
        output_optional(),
    }
}

/// Defines methods of [`Typed`] that change the schema of array items or map values.
macro_rules! nested {
    ($($declaration:ident)*) => {
        $(impl<T: ?Sized> Typed<T, $declaration> {
            #[doc = concat!("See [`", stringify!($declaration), "::items`].")]
            pub fn items(self, change: impl FnOnce(TypedSchema<T::Item>) -> TypedSchema<T::Item>) -> Self
            where
                T: HasItems,
            {
                self.with(|declaration| declaration.items(|item| change(Typed::new(item)).declaration))
            }

            #[doc = concat!("See [`", stringify!($declaration), "::values`].")]
            pub fn values(self, change: impl FnOnce(TypedSchema<T::Value>) -> TypedSchema<T::Value>) -> Self
            where
                T: HasProperties,
            {
                self.with(|declaration| declaration.values(|value| change(Typed::new(value)).declaration))
            }
        })*
    };
}

nested!(Property SchemaObject);

impl<T> Typed<T> {
    /// Sets the default value to the result of a function, serialized as JSON. See [`Property::default_value`].
    ///
    /// A default that cannot be serialized is an error, which is reported when the schema is compiled.
    pub fn default_from(self, default: impl FnOnce() -> T) -> Self
    where
        T: Serialize,
    {
        let written = serde_json::to_value(default());
        self.with(|mut property| {
            match written {
                Ok(value) => property.schema.default = Some(Box::new(value)),
                Err(error) => {
                    property.schema.mistakes.push(format!("the default cannot be written as JSON: {error}"));
                }
            }
            property
        })
    }
}

impl<T: ?Sized> Typed<T> {
    /// Converts the typed property to an untyped [`Property`].
    pub fn into_property(self) -> Property {
        self.declaration
    }
}

impl<T: ?Sized> TypedSchema<T> {
    /// Converts the typed schema to an untyped [`SchemaObject`].
    pub fn into_schema(self) -> SchemaObject {
        self.declaration
    }
}

impl<T: ?Sized, D> Typed<T, D> {
    fn new(declaration: D) -> Self {
        Self { declaration, of: PhantomData }
    }

    fn with(self, change: impl FnOnce(D) -> D) -> Self {
        Self::new(change(self.declaration))
    }
}

impl<T: ?Sized> From<Typed<T>> for Property {
    fn from(typed: Typed<T>) -> Self {
        typed.declaration
    }
}

impl<T: ?Sized> From<TypedSchema<T>> for SchemaObject {
    fn from(typed: TypedSchema<T>) -> Self {
        typed.declaration
    }
}

impl<T: ?Sized, D: Clone> Clone for Typed<T, D> {
    fn clone(&self) -> Self {
        Self::new(self.declaration.clone())
    }
}

impl<T: ?Sized, D: fmt::Debug> fmt::Debug for Typed<T, D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.declaration, formatter)
    }
}
