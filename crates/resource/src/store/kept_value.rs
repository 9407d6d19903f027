//! Contains the rules by which stores accept, change or reject a value.

use jiff::Timestamp;
use restwright_list::Value;

use crate::definition::FieldDefinition;

/// Defines whether a store accepts, changes or rejects a value. All stores follow the same rules.
pub(super) enum Kept {
    AsItIs,
    /// The store stores this value instead of the original value.
    As(Value<'static>),
    Rejected(&'static str),
}

/// The start of the year 0 as a number of seconds since 1970-01-01T00:00:00Z. Earlier years do not exist in RFC 3339.
const YEAR_0: i64 = -62_167_219_200;

/// PostgreSQL cannot store this character.
const NUL: &str = "must not contain the character NUL";
const BEYOND: &str = "must be an integer of 64 signed bits";

/// Returns why a store rejects a list, if it does. Databases compare its items with the same limits as values of columns.
pub(super) fn refused_item(list: &Value<'_>) -> Option<&'static str> {
    let Value::List(items) = list else { return None };
    items.iter().find_map(|item| match item {
        Value::Text(text) if text.contains('\0') => Some(NUL),
        Value::Integer(integer) if i64::try_from(*integer).is_err() => Some(BEYOND),
        _ => None,
    })
}

/// Decides whether a store accepts, changes or rejects a value.
pub(super) fn kept(value: &Value<'_>, field: &FieldDefinition) -> Kept {
    const BEFORE_YEAR_0: &str = "must not be before the year 0";
    match value {
        Value::Null if !field.is_nullable() => Kept::Rejected("must not be null"),
        Value::Text(text) if text.contains('\0') => Kept::Rejected(NUL),
        Value::Integer(integer) if i64::try_from(*integer).is_err() => Kept::Rejected(BEYOND),
        // The two zeros are equal, and some databases cannot store `-0.0`.
        Value::Number(number) if *number == 0.0 && number.is_sign_negative() => Kept::As(Value::Number(0.0)),
        Value::Date(date) if date.year() < 0 => Kept::Rejected(BEFORE_YEAR_0),
        Value::DateTime(time) if *time < Timestamp::constant(YEAR_0, 0) => Kept::Rejected(BEFORE_YEAR_0),
        Value::DateTime(time) if time.subsec_nanosecond() % 1_000 != 0 => {
            let microseconds = time.as_nanosecond().div_euclid(1_000);
            match Timestamp::from_nanosecond(microseconds * 1_000) {
                Ok(time) => Kept::As(time.into()),
                Err(_) => Kept::Rejected("must be in whole microseconds"),
            }
        }
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => match restwright_list::with_scale(*value, field.decimal_scale()) {
            Some(scaled) if scaled.serialize() == value.serialize() => Kept::AsItIs,
            Some(scaled) => Kept::As(scaled.into()),
            None => Kept::Rejected("must not have more digits than the scale of the field"),
        },
        _ => Kept::AsItIs,
    }
}
