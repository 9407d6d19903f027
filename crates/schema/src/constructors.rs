//! Functions that create schemas and properties of each type.

use std::borrow::Cow;

use serde_json::Value;

use crate::collection::PropertyCollection;
use crate::property::Property;
use crate::schema_object::SchemaObject;
use crate::schema_type::boolean::BooleanType;
use crate::schema_type::date::DateType;
use crate::schema_type::date_time::DateTimeType;
use crate::schema_type::enumeration::EnumerationType;
use crate::schema_type::integer::IntegerType;
use crate::schema_type::number::NumberType;
use crate::schema_type::string::StringType;
use crate::schema_type::uuid::UuidType;
use crate::schema_type::{OneOf, SchemaType};

/// Generates two functions for each type: one that creates a property, and one of [`SchemaObject`] that creates a
/// schema.
macro_rules! constructors {
    ($($(#[doc = $doc:literal])* $name:ident($($argument:ident: $type:ty)?) => $schema_type:expr;)*) => {
        $(
            $(#[doc = $doc])*
            pub fn $name(name: impl Into<Cow<'static, str>> $(, $argument: $type)?) -> Property {
                Property::new(name, SchemaObject::$name($($argument)?))
            }
        )*

        impl SchemaObject {
            $(
                $(#[doc = $doc])*
                pub fn $name($($argument: $type)?) -> Self {
                    Self::new($schema_type)
                }
            )*
        }
    };
}

constructors! {
    /// A string.
    string() => StringType::default();
    /// A signed 64-bit integer.
    integer() => IntegerType::plain();
    /// A signed 32-bit integer.
    int32() => IntegerType::new("int32", i32::MIN, i32::MAX);
    /// A signed 64-bit integer.
    int64() => IntegerType::new("int64", i64::MIN, i64::MAX);
    /// An unsigned 32-bit integer.
    uint32() => IntegerType::new("uint32", u32::MIN, u32::MAX);
    /// An integer from 0 to the maximum of a signed 64-bit integer, because clients do not read larger ones.
    uint64() => IntegerType::new("uint64", 0, i64::MAX);
    /// A double-precision number.
    number() => NumberType::double();
    /// A single-precision number.
    float32() => NumberType::float();
    /// A boolean.
    boolean() => BooleanType;
    /// A date: `full-date` of RFC 3339.
    date() => DateType;
    /// A date-time: `date-time` of RFC 3339, up to `9999-12-30T22:00:00Z` and with at most nine digits of a second.
    date_time() => DateTimeType;
    /// A UUID in the hyphenated form of RFC 9562, in either case.
    uuid() => UuidType;
    /// One of several strings, or one of several integers.
    enumeration(values: impl IntoIterator<Item = impl Into<Value>>) =>
        EnumerationType::new(values.into_iter().map(Into::into).collect());
    /// An array. The schema of its items is a [`PropertyCollection`], a `SchemaObject::string()` or another schema.
    array(items: impl Into<SchemaObject>) => SchemaType::array(items);
    /// An object.
    object(collection: PropertyCollection) => collection;
    /// An object with arbitrary names, whose values have the same schema.
    map(values: impl Into<SchemaObject>) => SchemaType::map(values);
    /// One of several objects, selected by a property.
    one_of(one_of: OneOf) => one_of;
    /// Any JSON value.
    any() => SchemaType::any();
    /// A reference to the schema with this name. A collection may refer to itself.
    reference(schema: impl Into<Cow<'static, str>>) => SchemaType::reference(schema);
}
