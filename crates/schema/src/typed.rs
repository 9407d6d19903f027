//! [`Typed`]: a property of a Rust type, which takes only the constraints that fit the type.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::Value;

use crate::format::Format;
use crate::markers::{HasCharacters, HasItems, HasProperties, HasRange, HasUniqueItems};
use crate::mode::Modes;
use crate::number::Number;
use crate::property::Property;
use crate::registry::Registry;
use crate::schema::Schema;

/// A property of the type `T`: [`Property`] with constraints that are checked against the type when it is compiled.
///
/// ```compile_fail
/// # use restwright_schema::{Registry, typed};
/// typed::<i64>(&mut Registry::new(), "age").min_length(1);
/// ```
#[must_use = "a property does nothing until it is added to a collection"]
pub struct Typed<T: ?Sized> {
    property: Property,
    of: PhantomData<fn() -> Box<T>>,
}

/// A property of the type `T`: of its kind, optional and nullable as the type says.
pub fn typed<T: Schema + ?Sized>(registry: &mut Registry, name: impl Into<Cow<'static, str>>) -> Typed<T> {
    let mut property = Property::new(name, T::kind(registry));
    property.optional = T::OPTIONAL;
    property.nullable = T::NULLABLE;
    Typed { property, of: PhantomData }
}

/// Methods that ask something of the type, and hand on to those of [`Property`].
macro_rules! gated {
    ($($bound:ident { $($method:ident($($argument:ident: $type:ty)?),)* })*) => {
        impl<T: ?Sized> Typed<T> {
            $($(
                #[doc = concat!("See [`Property::", stringify!($method), "`].")]
                pub fn $method(self $(, $argument: $type)?) -> Self where T: $bound {
                    self.with(|property| property.$method($($argument)?))
                }
            )*)*
        }
    };
}

gated! {
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
    HasItems {
        min_items(items: usize),
        max_items(items: usize),
    }
    HasUniqueItems {
        unique_items(),
    }
    HasProperties {
        min_properties(properties: usize),
        max_properties(properties: usize),
    }
}

/// Methods that every type takes.
macro_rules! handed_on {
    ($($method:ident($($argument:ident: $type:ty)?),)*) => {
        impl<T: ?Sized> Typed<T> {
            $(
                #[doc = concat!("See [`Property::", stringify!($method), "`].")]
                pub fn $method(self $(, $argument: $type)?) -> Self {
                    self.with(|property| property.$method($($argument)?))
                }
            )*
        }
    };
}

handed_on! {
    constant(value: impl Into<Value>),
    default_value(value: impl Into<Value>),
    optional(),
    nullable(),
    read_only(),
    write_only(),
    deprecated(),
    title(title: impl Into<String>),
    description(description: impl Into<String>),
    example(example: impl Into<Value>),
    modes(modes: impl Into<Modes>),
    input_name(name: impl Into<Cow<'static, str>>),
    output_name(name: impl Into<Cow<'static, str>>),
    alias(name: impl Into<Cow<'static, str>>),
    input_optional(),
    output_optional(),
}

impl<T> Typed<T> {
    /// The default that a function makes, published as it is written in JSON; see [`Property::default_value`].
    ///
    /// One that cannot be written in JSON is a mistake that is reported when the shape is compiled.
    pub fn default_from(self, default: impl FnOnce() -> T) -> Self
    where
        T: Serialize,
    {
        let written = serde_json::to_value(default());
        self.with(|mut property| {
            match written {
                Ok(value) => property.default = Some(value),
                Err(error) => property.mistakes.push(format!("the default cannot be written in JSON: {error}")),
            }
            property
        })
    }
}

impl<T: ?Sized> Typed<T> {
    /// See [`Property::items`].
    pub fn items(self, change: impl FnOnce(Typed<T::Item>) -> Typed<T::Item>) -> Self
    where
        T: HasItems,
    {
        self.with(|property| property.items(|item| change(Typed { property: item, of: PhantomData }).property))
    }

    /// See [`Property::values`].
    pub fn values(self, change: impl FnOnce(Typed<T::Value>) -> Typed<T::Value>) -> Self
    where
        T: HasProperties,
    {
        self.with(|property| property.values(|value| change(Typed { property: value, of: PhantomData }).property))
    }

    /// The property without its type.
    pub fn into_property(self) -> Property {
        self.property
    }

    fn with(self, change: impl FnOnce(Property) -> Property) -> Self {
        Self { property: change(self.property), of: PhantomData }
    }
}

impl<T: ?Sized> From<Typed<T>> for Property {
    fn from(typed: Typed<T>) -> Self {
        typed.property
    }
}

impl<T: ?Sized> Clone for Typed<T> {
    fn clone(&self) -> Self {
        Self { property: self.property.clone(), of: PhantomData }
    }
}

impl<T: ?Sized> fmt::Debug for Typed<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.property, formatter)
    }
}
