//! Converts the values of existing columns of PostgreSQL, for the SQL that changes the type of a column.

use restwright_list::ValueType;

use super::found_table::FoundColumn;
use crate::dialect::quoted;
use crate::wanted::ColumnKind;

/// The kind of an existing type, which decides how its values are converted.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// An integer, `numeric` or a floating-point number.
    Number,
    Money,
    Boolean,
    Text,
    Date,
    /// `timestamp`.
    Local,
    /// `timestamptz`.
    Instant,
    Bytes,
    Other,
}

impl Found {
    fn of(type_name: &str) -> Self {
        let base = type_name.split('(').next().unwrap_or_default().trim_end();
        match base {
            _ if type_name.ends_with("[]") => Self::Other,
            "smallint" | "integer" | "bigint" | "numeric" | "real" | "double precision" => Self::Number,
            "money" => Self::Money,
            "boolean" => Self::Boolean,
            "text" | "character varying" | "character" | "name" | "citext" => Self::Text,
            "date" => Self::Date,
            "bytea" => Self::Bytes,
            _ if base.starts_with("timestamp") && type_name.ends_with("with time zone") => Self::Instant,
            _ if base.starts_with("timestamp") => Self::Local,
            _ => Self::Other,
        }
    }
}

/// Returns the expression for the exact counterpart of a value in the type `to`, which is an error if there is none. Returns `None` if no values of the
/// types have a counterpart.
pub(super) fn conversion(kind: ColumnKind, to: &str, found: &FoundColumn) -> Option<String> {
    let value = quoted(&found.name);
    let of = Found::of(&found.type_name);
    // The text of a floating-point number is its shortest exact form.
    let number = if of == Found::Money { format!("{value}::numeric") } else { format!("{value}::text::numeric") };
    let (converted, exact) = match kind {
        ColumnKind::Value(value_type) => match (value_type, of) {
            (ValueType::Integer, _) => whole(of, &value, &number)?,
            (ValueType::Number | ValueType::Float, Found::Number | Found::Money | Found::Text) => {
                let converted = format!("{number}::double precision");
                let exact = format!("{converted}::text::numeric = {number}");
                (converted, Some(exact))
            }
            (ValueType::Decimal, Found::Number | Found::Money | Found::Text) => (number, None),
            (ValueType::Boolean, Found::Number) => (format!("{value} <> 0"), Some(format!("{value} IN (0, 1)"))),
            (ValueType::Boolean, Found::Text) => (format!("{value}::text::boolean"), None),
            (ValueType::Date, Found::Instant) => {
                let utc = format!("({value} AT TIME ZONE 'UTC')");
                (format!("{utc}::date"), Some(format!("{utc}::date = {utc}")))
            }
            (ValueType::Date, Found::Local) => (format!("{value}::date"), Some(format!("{value}::date = {value}"))),
            (ValueType::Date, Found::Text) => {
                (format!("{value}::text::date"), Some(format!("{value}::text ~ '^[0-9]{{4,}}-[0-9]{{2}}-[0-9]{{2}}$'")))
            }
            (ValueType::DateTime, Found::Instant) => (format!("{value}::timestamptz"), None),
            (ValueType::DateTime, Found::Date) => (format!("{value}::timestamp AT TIME ZONE 'UTC'"), None),
            (ValueType::DateTime, Found::Local) => (format!("{value} AT TIME ZONE 'UTC'"), None),
            (ValueType::DateTime, Found::Text) => (
                // A date-time without a time zone is in UTC.
                format!(
                    "CASE WHEN {value}::text ~ '([Zz]|[+-][0-9]{{2}}(:?[0-9]{{2}})?)$' THEN {value}::text::timestamptz \
                     ELSE {value}::text::timestamp AT TIME ZONE 'UTC' END"
                ),
                Some(format!("{value}::text ~ '^[0-9]{{4,}}-[0-9]{{2}}-[0-9]{{2}}[ Tt][0-9]'")),
            ),
            (ValueType::Uuid, Found::Bytes) => (format!("encode({value}, 'hex')::uuid"), None),
            (ValueType::Uuid, Found::Text) => (format!("{value}::text::uuid"), None),
            (ValueType::Json, Found::Text) => (format!("{value}::text::json"), None),
            (ValueType::Json, _) => (format!("to_json({value})"), None),
            // Other casts to text depend on the settings of the session.
            (ValueType::Text | ValueType::Enumeration, Found::Date | Found::Local) => {
                (format!("to_json({value}) #>> '{{}}'"), None)
            }
            (ValueType::Text | ValueType::Enumeration, Found::Instant) => {
                let utc = format!("(to_json({value} AT TIME ZONE 'UTC') #>> '{{}}') || 'Z'");
                (format!("CASE WHEN isfinite({value}) THEN {utc} ELSE {value}::text END"), None)
            }
            (ValueType::Text | ValueType::Enumeration, _) => (format!("{value}::text"), None),
            _ => return None,
        },
        ColumnKind::Identity | ColumnKind::Version | ColumnKind::Folding => whole(of, &value, &number)?,
        ColumnKind::Fold | ColumnKind::Bytes => (format!("{value}::{to}"), None),
    };
    Some(match exact {
        None => converted,
        // The cast of this string fails with a message that contains the value.
        Some(exact) => {
            format!("CASE WHEN {exact} THEN {converted} ELSE ({value}::text || ' has no exact counterpart')::{to} END")
        }
    })
}

/// Returns the conversion to an integer, and the condition that it is exact.
fn whole(of: Found, value: &str, number: &str) -> Option<(String, Option<String>)> {
    Some(match of {
        Found::Boolean => (format!("{value}::integer::bigint"), None),
        Found::Number | Found::Money => (format!("{number}::bigint"), Some(format!("{number} = trunc({number})"))),
        // Leading zeros and spaces would be lost.
        Found::Text => (format!("{value}::text::bigint"), Some(format!("{value}::text ~ '^(0|-?[1-9][0-9]*)$'"))),
        _ => return None,
    })
}
