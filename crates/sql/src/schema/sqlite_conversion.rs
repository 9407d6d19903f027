//! Converts the values of existing columns of SQLite, for the SQL that replaces a table.
//!
//! A column of SQLite can contain values of every type. A conversion is null for a value that has no exact counterpart, so a query can count these values.
//! The expressions work with the sqlite3 of Debian 12 (3.40).

use restwright_list::ValueType;

use super::found_table::FoundColumn;
use super::sqlite::{accepts, column_type};
use crate::dialect::quoted;
use crate::wanted::ColumnKind;

/// The number of digits before and after the point of a [sortable decimal](crate::driver), and the number of its significant digits.
const DIGITS: (usize, usize, usize) = (29, 28, 28);

/// Returns the declared type of a column in the new table. A type that can contain the values stays.
pub(super) fn next_type(kind: ColumnKind, found: &FoundColumn) -> String {
    let is_kept = accepts(kind, found).is_some() && kind != ColumnKind::Identity;
    let is_text_of_uuid = kind == ColumnKind::Value(ValueType::Uuid) && found.type_name.eq_ignore_ascii_case("TEXT");
    match is_kept {
        true => found.type_name.clone(),
        false if is_text_of_uuid => "TEXT".to_owned(),
        false => column_type(kind).to_owned(),
    }
}

/// Returns the expression for the exact counterpart of a value, which is null if there is none. A column that keeps its type keeps its values.
pub(super) fn conversion(kind: ColumnKind, found: &FoundColumn) -> String {
    let value = quoted(&found.name);
    if accepts(kind, found).is_some() {
        return value;
    }
    match kind {
        ColumnKind::Identity | ColumnKind::Version | ColumnKind::Folding => integer(&value),
        ColumnKind::Fold => of_type(&value, "text"),
        ColumnKind::Bytes => of_type(&value, "blob"),
        ColumnKind::Value(value_type) => match value_type {
            ValueType::Integer => integer(&value),
            ValueType::Number | ValueType::Float => number(&value),
            ValueType::Boolean => boolean(&value),
            ValueType::Date => date(&value),
            // A number can be any unit of time.
            ValueType::DateTime => date_time(&value),
            ValueType::Uuid if next_type(kind, found) == "BLOB" => {
                format!("CASE WHEN typeof({value}) = 'blob' AND length({value}) = 16 THEN {value} END")
            }
            ValueType::Uuid => uuid(&value),
            ValueType::Decimal => decimal(&value),
            ValueType::Json => format!("CASE WHEN typeof({value}) = 'text' AND json_valid({value}) THEN {value} END"),
            _ => text(&value),
        },
    }
}

/// Returns the condition that a value has no exact counterpart. In a column that keeps its type, such a value has another type, which no request can read.
pub(super) fn inexact(kind: ColumnKind, found: &FoundColumn) -> String {
    let value = quoted(&found.name);
    if accepts(kind, found).is_none() {
        return format!("{value} IS NOT NULL AND {} IS NULL", conversion(kind, found));
    }
    let readable = match kind {
        ColumnKind::Identity | ColumnKind::Version | ColumnKind::Folding => "'integer'",
        ColumnKind::Fold => "'text'",
        ColumnKind::Bytes => "'blob'",
        ColumnKind::Value(value_type) => match value_type {
            ValueType::Integer | ValueType::Boolean | ValueType::DateTime => "'integer'",
            ValueType::Number | ValueType::Float => "'integer', 'real'",
            ValueType::Uuid => "'blob', 'text'",
            _ => "'text'",
        },
    };
    format!("typeof({value}) NOT IN ('null', {readable})")
}

fn of_type(value: &str, kind: &str) -> String {
    format!("CASE WHEN typeof({value}) = '{kind}' THEN {value} END")
}

fn integer(value: &str) -> String {
    let whole = format!("CAST({value} AS INTEGER)");
    format!(
        "CASE typeof({value}) WHEN 'integer' THEN {value} \
         WHEN 'real' THEN CASE WHEN abs({value}) < 9e18 AND {whole} = {value} THEN {whole} END \
         WHEN 'text' THEN CASE WHEN CAST({whole} AS TEXT) = {value} THEN {whole} END END"
    )
}

fn number(value: &str) -> String {
    let real = format!("CAST({value} AS REAL)");
    format!(
        "CASE typeof({value}) WHEN 'integer' THEN CASE WHEN {value} BETWEEN -9007199254740992 AND 9007199254740992 THEN {real} END \
         WHEN 'real' THEN CASE WHEN abs({value}) <= 1.7976931348623157e308 THEN {value} END \
         WHEN 'text' THEN CASE WHEN {value} IN (CAST({real} AS TEXT), CAST(CAST({value} AS INTEGER) AS TEXT)) THEN {real} END END"
    )
}

fn boolean(value: &str) -> String {
    format!(
        "CASE WHEN typeof({value}) IN ('integer', 'real') AND {value} IN (0, 1) THEN CAST({value} AS INTEGER) \
         WHEN typeof({value}) <> 'text' THEN NULL WHEN lower({value}) IN ('true', 't', '1') THEN 1 \
         WHEN lower({value}) IN ('false', 'f', '0') THEN 0 END"
    )
}

fn text(value: &str) -> String {
    let text = format!("CAST({value} AS TEXT)");
    format!(
        "CASE typeof({value}) WHEN 'text' THEN {value} WHEN 'integer' THEN {text} \
         WHEN 'real' THEN CASE WHEN CAST({text} AS REAL) = {value} THEN {text} END END"
    )
}

/// A date-time at midnight without a time zone is a date. In old versions, `date` replaces February 31 by March 2 only if it has a modifier.
fn date(value: &str) -> String {
    let day = format!("substr({value}, 1, 10)");
    format!(
        "CASE WHEN typeof({value}) = 'text' AND date({day}, '+0 days') = {day} AND replace(substr({value}, 11), 'T', ' ') \
         IN ('', ' 00:00:00', ' 00:00:00.000', ' 00:00:00.000000') THEN {day} END"
    )
}

/// A date-time without a time zone is in UTC. It has at most six digits of a second. `time` replaces 24:00:00 by 00:00:00 only if it has
/// a modifier.
fn date_time(value: &str) -> String {
    format!(
        "(SELECT CASE WHEN date(day, '+0 days') = day AND time(clock, '+0 seconds') = clock AND mark IN (' ', 'T') \
         AND (fraction = '' OR (fraction GLOB '.[0-9]*' AND substr(fraction, 2) NOT GLOB '*[^0-9]*' AND length(fraction) <= 7)) \
         THEN CAST(strftime('%s', day || ' ' || clock || zone) AS INTEGER) * 1000000 \
         + CAST(substr(substr(fraction, 2) || '000000', 1, 6) AS INTEGER) END \
         FROM (SELECT substr(old, 1, 10) AS day, substr(old, 11, 1) AS mark, substr(old, 12, 8) AS clock, zone, \
         substr(old, 20, length(old) - 19 - length(zone)) AS fraction \
         FROM (SELECT old, CASE WHEN old GLOB '*Z' THEN 'Z' WHEN substr(old, -6) GLOB '[+-][0-9][0-9]:[0-9][0-9]' \
         THEN substr(old, -6) ELSE '' END AS zone FROM (SELECT {} AS old))))",
        of_type(value, "text")
    )
}

fn uuid(value: &str) -> String {
    let digits = format!("replace({value}, '-', '')");
    format!(
        "CASE WHEN typeof({value}) = 'text' AND length({value}) = 36 AND length({digits}) = 32 AND {digits} NOT GLOB '*[^0-9A-Fa-f]*' \
         AND {value} GLOB '????????-????-????-????-*' THEN lower({value}) END"
    )
}

/// Converts a number or its digits to a sortable decimal. A value that is already in this form stays.
fn decimal(value: &str) -> String {
    let (integer_digits, scale, significant) = DIGITS;
    let zeros = |count: usize| "0".repeat(count);
    // Each digit is subtracted from 9. The parser of SQLite has a small stack, so the expression is flat.
    let nines = |from: usize, count: usize| {
        format!("printf('%0{count}d', {} - CAST(substr(sortable, {from}, {count}) AS INTEGER))", "9".repeat(count))
    };
    let complement = format!("{} || {} || '.' || {} || {}", nines(2, 14), nines(16, 15), nines(32, 14), nines(46, 14));
    format!(
        "(SELECT CASE WHEN length(old) = 59 AND old GLOB '[-0]*' AND substr(old, 2) NOT GLOB '*[^0-9.]*' AND instr(old, '.') = 31 THEN old \
         WHEN digits GLOB '[0-9]*' AND digits NOT GLOB '*[^0-9.]*' AND digits NOT GLOB '*.*.*' AND old NOT GLOB '?*-*' \
         AND length(fraction) <= {scale} AND length(ltrim(whole, '0')) <= {significant} \
         AND length(trim(replace(digits, '.', ''), '0')) <= {significant} \
         THEN CASE WHEN old GLOB '-*[1-9]*' THEN '-' || {complement} ELSE sortable END END \
         FROM (SELECT old, digits, whole, fraction, '0' || substr('{}' || whole, -{integer_digits}) || '.' || substr(fraction || '{}', 1, {scale}) AS sortable \
         FROM (SELECT old, digits, substr(digits, 1, point - 1) AS whole, substr(digits, point + 1) AS fraction \
         FROM (SELECT old, digits, instr(digits || '.', '.') AS point FROM (SELECT old, replace(old, '-', '') AS digits FROM (SELECT {} AS old))))))",
        zeros(integer_digits),
        zeros(scale),
        text(value)
    )
}
