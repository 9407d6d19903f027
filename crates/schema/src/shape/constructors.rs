//! Contains the functions that create a property or a schema of each type, such as [`string`] and
//! [`SchemaObject::string`].

use std::borrow::Cow;

use serde_json::Value;

use crate::shape::collection::PropertyCollection;
use crate::shape::property::Property;
use crate::shape::schema_object::SchemaObject;
use crate::shape::schema_type::boolean::BooleanType;
use crate::shape::schema_type::date::DateType;
use crate::shape::schema_type::date_time::DateTimeType;
#[cfg(feature = "rust_decimal")]
use crate::shape::schema_type::decimal::DecimalType;
use crate::shape::schema_type::enumeration::EnumerationType;
use crate::shape::schema_type::file::FileType;
use crate::shape::schema_type::integer::IntegerType;
use crate::shape::schema_type::number::NumberType;
use crate::shape::schema_type::string::StringType;
use crate::shape::schema_type::uuid::UuidType;
use crate::shape::schema_type::{OneOf, SchemaType};

/// Generates two functions for each schema type. One function creates a [`Property`], and the associated function of
/// [`SchemaObject`] creates a schema.
macro_rules! constructors {
    ($($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty)?) => $schema_type:expr;)*) => {
        $(
            $(#[$attribute])*
            pub fn $name(name: impl Into<Cow<'static, str>> $(, $argument: $type)?) -> Property {
                Property::new(name, SchemaObject::$name($($argument)?))
            }
        )*

        impl SchemaObject {
            $(
                $(#[$attribute])*
                pub fn $name($($argument: $type)?) -> Self {
                    Self::new($schema_type)
                }
            )*
        }
    };
}

constructors! {
    /// Declares a file of a form (`multipart/form-data`).
    file() => FileType::default();
    /// Declares a file of a form that is the last part, which the handler reads in pieces.
    file_stream() => FileType { is_streamed: true, ..FileType::default() };
    /// Declares a string.
    string() => StringType::default();
    /// Declares a signed 64-bit integer.
    integer() => IntegerType::plain();
    /// Declares a signed 32-bit integer.
    int32() => IntegerType::new("int32", i32::MIN, i32::MAX);
    /// Declares a signed 64-bit integer.
    int64() => IntegerType::new("int64", i64::MIN, i64::MAX);
    /// Declares an unsigned 32-bit integer.
    uint32() => IntegerType::new("uint32", u32::MIN, u32::MAX);
    /// Declares an integer from 0 to `i64::MAX`. Many clients cannot read larger integers.
    uint64() => IntegerType::new("uint64", 0, i64::MAX);
    /// Declares a double-precision number.
    number() => NumberType::double();
    /// Declares a single-precision number.
    float32() => NumberType::float();
    /// Declares an exact decimal number as a string such as `"12.50"`, with at most 28 digits. A JSON number is a violation.
    #[cfg(feature = "rust_decimal")]
    decimal() => DecimalType::default();
    /// Declares a boolean.
    boolean() => BooleanType;
    /// Declares a date (`full-date` of RFC 3339).
    date() => DateType;
    /// Declares a date-time (`date-time` of RFC 3339) from the year 0 to `9999-12-30T22:00:00.999999999Z`, the last time of
    /// `jiff::Timestamp`. It has at most nine fractional digits. A leap second is read as the second before it.
    date_time() => DateTimeType::INSTANT;
    /// Declares a UUID in the hyphenated form of RFC 9562, in lower or upper case.
    uuid() => UuidType;
    /// Declares an enumeration of strings or integers.
    enumeration(values: impl IntoIterator<Item = impl Into<Value>>) =>
        EnumerationType::new(values.into_iter().map(Into::into).collect());
    /// Declares an array. `items` is the schema of its items, such as a [`PropertyCollection`] or
    /// `SchemaObject::string()`.
    array(items: impl Into<SchemaObject>) => SchemaType::array(items);
    /// Declares an object with the properties of a collection.
    object(collection: PropertyCollection) => collection;
    /// Declares a map, which is an object with arbitrary property names. `values` is the schema of all its values.
    map(values: impl Into<SchemaObject>) => SchemaType::map(values);
    /// Declares a tuple, which is an array with one schema for each item.
    tuple(items: impl IntoIterator<Item = impl Into<SchemaObject>>) => SchemaType::tuple(items);
    /// Declares a value that matches at least one of several schemas. See [`SchemaType::any_of`].
    any_of(variants: impl IntoIterator<Item = impl Into<SchemaObject>>) => SchemaType::any_of(variants);
    /// Declares a value that is one of several objects (`oneOf`). A property selects the variant.
    one_of(one_of: OneOf) => one_of;
    /// Declares a value of any JSON type. Its numbers are integers of 64 bits, or else the nearest doubles.
    any() => SchemaType::any();
    /// Declares a reference to the schema with this name. A collection may refer to itself.
    reference(schema: impl Into<Cow<'static, str>>) => SchemaType::reference(schema);
}
