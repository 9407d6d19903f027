//! The functions that make schemas and properties, one of each per type.

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

/// For each type a function that makes a property, and one of [`SchemaObject`] that makes a schema.
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
    /// An integer of 64 signed bits.
    integer() => IntegerType::plain();
    /// An integer of 32 signed bits.
    int32() => IntegerType::new("int32", i32::MIN, i32::MAX);
    /// An integer of 64 signed bits.
    int64() => IntegerType::new("int64", i64::MIN, i64::MAX);
    /// An integer of 32 bits from 0.
    uint32() => IntegerType::new("uint32", u32::MIN, u32::MAX);
    /// An integer of 64 signed bits from 0, since clients read no larger ones.
    uint64() => IntegerType::new("uint64", 0, i64::MAX);
    /// A number in double precision.
    number() => NumberType::double();
    /// A number in single precision.
    float32() => NumberType::float();
    /// True or false.
    boolean() => BooleanType;
    /// A day: `full-date` of RFC 3339.
    date() => DateType;
    /// An instant: `date-time` of RFC 3339, up to `9999-12-30T22:00:00Z` and with at most nine digits of a second.
    date_time() => DateTimeType;
    /// A UUID in the hyphenated form of RFC 9562, in either case.
    uuid() => UuidType;
    /// One of several strings, or one of several integers.
    enumeration(values: impl IntoIterator<Item = impl Into<Value>>) =>
        EnumerationType::new(values.into_iter().map(Into::into).collect());
    /// An array; its items are a schema, such as a [`PropertyCollection`] or `SchemaObject::string()`.
    array(items: impl Into<SchemaObject>) => SchemaType::array(items);
    /// An object.
    object(collection: PropertyCollection) => collection;
    /// An object with any names, whose values have one schema.
    map(values: impl Into<SchemaObject>) => SchemaType::map(values);
    /// One of several objects, told apart by a property.
    one_of(one_of: OneOf) => one_of;
    /// Any JSON value.
    any() => SchemaType::any();
    /// The schema that is defined under a name; collections may refer to themselves.
    reference(schema: impl Into<Cow<'static, str>>) => SchemaType::reference(schema);
}
