//! Implements [`Schema`] for types of other crates. Each type requires the Cargo feature named after its crate.

#[cfg(any(feature = "chrono", feature = "jiff"))]
use crate::format::Format;
#[cfg(any(feature = "chrono", feature = "jiff"))]
use crate::shape::{LOCAL_DATE_TIME, LOCAL_TIME};
use crate::shape::{Registry, Schema, SchemaObject, SchemaType};

#[cfg(feature = "uuid")]
impl Schema for uuid::Uuid {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::uuid().schema_type
    }
}

/// Describes a date-time string in the format of RFC 3339, from the year 0 to `9999-12-30T22:00:00.999999999Z`. A leap second
/// is read as the second before it.
#[cfg(feature = "jiff")]
impl Schema for jiff::Timestamp {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::date_time().schema_type
    }
}

#[cfg(feature = "jiff")]
impl Schema for jiff::civil::Date {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::date().schema_type
    }
}

/// Describes a date-time string without an offset. Its seconds can be missing, as in the value of an HTML input
/// `datetime-local`.
#[cfg(feature = "jiff")]
impl Schema for jiff::civil::DateTime {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        local_date_time()
    }
}

/// Describes a time of day. Its seconds can be missing, as in the value of an HTML input `time`.
#[cfg(feature = "jiff")]
impl Schema for jiff::civil::Time {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        local_time()
    }
}

/// Describes an ISO 8601 duration in hours, minutes and seconds, such as `PT1H30M` or `-PT0.5S`.
///
/// It is published as a pattern, because `format: duration` follows RFC 3339, which allows neither a sign nor
/// fractions.
#[cfg(feature = "jiff")]
impl Schema for jiff::SignedDuration {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        // Longer than `-PT`, so at least one part is present.
        SchemaObject::string().min_length(4).pattern(crate::shape::DURATION).schema_type
    }
}

/// Describes a date-time string in the format of RFC 3339, from the year 0 to the year 9999 in UTC. A leap second is read as
/// the second before it.
#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> Schema for chrono::DateTime<Z> {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        crate::shape::DateTimeType::YEARS.into()
    }
}

#[cfg(feature = "chrono")]
impl Schema for chrono::NaiveDate {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::date().schema_type
    }
}

/// Describes a date-time string without an offset. Its seconds can be missing, as in the value of an HTML input
/// `datetime-local`.
#[cfg(feature = "chrono")]
impl Schema for chrono::NaiveDateTime {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        local_date_time()
    }
}

/// Describes a time of day. Its seconds can be missing, as in the value of an HTML input `time`.
#[cfg(feature = "chrono")]
impl Schema for chrono::NaiveTime {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        local_time()
    }
}

#[cfg(feature = "time")]
impl Schema for time::Date {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::date().schema_type
    }
}

/// Describes a date-time in the form that the serde implementation of the crate `time` writes, such as `2024-02-29
/// 12:00:00.0 +00:00:00`.
///
/// For RFC 3339, declare a newtype with `#[serde(with = "time::serde::rfc3339")]` and the schema
/// [`date_time`](crate::date_time).
#[cfg(feature = "time")]
impl Schema for time::OffsetDateTime {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        const PATTERN: &str =
            "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{1,2}:[0-9]{2}:[0-9]{2}\\.[0-9]{1,9} [+-][0-9]{2}:[0-9]{2}:[0-9]{2}$";
        SchemaObject::string().pattern(PATTERN).schema_type
    }
}

/// Describes a decimal number as a string, such as `"19.90"`, with at most 28 digits before and after the
/// point together. It is never rounded.
#[cfg(feature = "rust_decimal")]
impl Schema for rust_decimal::Decimal {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::decimal().schema_type
    }
}

/// Describes an absolute URI with any scheme. `#[property(format = ..)]` restricts the schemes.
#[cfg(feature = "url")]
impl Schema for url::Url {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        const ABSOLUTE: crate::format::Format = crate::format::Format::custom("uri", |text| {
            crate::formats::is_absolute_uri(text) && url::Url::parse(text).is_ok()
        });
        SchemaObject::string().format(ABSOLUTE).schema_type
    }
}

#[cfg(any(feature = "chrono", feature = "jiff"))]
fn local_date_time() -> SchemaType {
    SchemaObject::string().format(Format::abridged(&LOCAL_DATE_TIME)).schema_type
}

#[cfg(any(feature = "chrono", feature = "jiff"))]
fn local_time() -> SchemaType {
    SchemaObject::string().format(Format::abridged(&LOCAL_TIME)).schema_type
}
