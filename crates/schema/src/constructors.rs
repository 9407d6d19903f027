//! The functions that make properties, one per kind.

use std::borrow::Cow;

use serde_json::Value;

use crate::collection::PropertyCollection;
use crate::property::Property;
use crate::schema_type::boolean::BooleanType;
use crate::schema_type::date::DateType;
use crate::schema_type::date_time::DateTimeType;
use crate::schema_type::enumeration::EnumerationType;
use crate::schema_type::integer::IntegerType;
use crate::schema_type::number::NumberType;
use crate::schema_type::string::StringType;
use crate::schema_type::uuid::UuidType;
use crate::schema_type::{OneOf, SchemaType};

/// Text.
pub fn string(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, StringType::default())
}

/// An integer of 64 signed bits, published without a format.
pub fn integer(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, IntegerType::plain())
}

/// An integer of 32 signed bits.
pub fn int32(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, IntegerType::new("int32", i32::MIN, i32::MAX))
}

/// An integer of 64 signed bits.
pub fn int64(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, IntegerType::new("int64", i64::MIN, i64::MAX))
}

/// An integer of 32 bits from 0.
pub fn uint32(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, IntegerType::new("uint32", u32::MIN, u32::MAX))
}

/// An integer of 64 bits from 0.
pub fn uint64(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, IntegerType::new("uint64", u64::MIN, u64::MAX))
}

/// A number in double precision.
pub fn number(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, NumberType::double())
}

/// A number in single precision.
pub fn float32(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, NumberType::float())
}

/// True or false.
pub fn boolean(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, BooleanType)
}

/// A day: `full-date` of RFC 3339.
pub fn date(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, DateType)
}

/// An instant: `date-time` of RFC 3339, up to `9999-12-30T22:00:00Z` and with at most nine digits of a second.
pub fn date_time(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, DateTimeType)
}

/// A UUID in the hyphenated form of RFC 9562, in either case.
pub fn uuid(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, UuidType)
}

/// One of several strings, or one of several integers.
pub fn enumeration<V: Into<Value>>(
    name: impl Into<Cow<'static, str>>,
    values: impl IntoIterator<Item = V>,
) -> Property {
    Property::new(name, EnumerationType::new(values.into_iter().map(Into::into).collect()))
}

/// An array; its items are a [`PropertyCollection`], or a property whose name is not used.
pub fn array(name: impl Into<Cow<'static, str>>, items: impl Into<Property>) -> Property {
    Property::new(name, SchemaType::array(items))
}

/// An object.
pub fn object(name: impl Into<Cow<'static, str>>, collection: PropertyCollection) -> Property {
    Property::new(name, collection)
}

/// An object with any names, whose values are a [`PropertyCollection`], or a property whose name is not used.
pub fn map(name: impl Into<Cow<'static, str>>, values: impl Into<Property>) -> Property {
    Property::new(name, SchemaType::map(values))
}

/// One of several objects, told apart by a property.
pub fn one_of(name: impl Into<Cow<'static, str>>, one_of: OneOf) -> Property {
    Property::new(name, one_of)
}

/// Any JSON value.
pub fn any(name: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, SchemaType::any())
}

/// What a collection of another name declares; collections may refer to themselves.
pub fn reference(name: impl Into<Cow<'static, str>>, shape: impl Into<Cow<'static, str>>) -> Property {
    Property::new(name, SchemaType::reference(shape))
}
