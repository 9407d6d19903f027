use std::process::Command;

use restwright_list::ValueType;
use rust_decimal::Decimal;

use super::super::database::Database;
use super::{FIELDS, Pair, date_time, decimal, printed, run};
use crate::databases::SqliteFile;

/// The declared types of SQLite.
const DECLARED: [&str; 19] = [
    "INTEGER",
    "BIGINT",
    "BOOLEAN",
    "TEXT",
    "TEXT COLLATE NOCASE",
    "VARCHAR(20)",
    "CHAR(36)",
    "CLOB",
    "BLOB",
    "",
    "REAL",
    "DOUBLE",
    "FLOAT",
    "NUMERIC",
    "DECIMAL(10,2)",
    "DATE",
    "DATETIME",
    "TIMESTAMP",
    "JSON",
];

/// Values as SQLite writes them.
const STORED: [&str; 49] = [
    "0",
    "1",
    "-1",
    "7",
    "2",
    "1709209800",
    "1709209800123",
    "1709209800123456",
    "9007199254740993",
    "9223372036854775807",
    "1.5",
    "-0.25",
    "1e300",
    "0.30000000000000004",
    "2.0",
    "'0'",
    "'1'",
    "'007'",
    "' 7'",
    "'-12'",
    "'1.5'",
    "'1.50'",
    "'-0.25'",
    "'.5'",
    "'1e3'",
    "'true'",
    "'False'",
    "'t'",
    "'yes'",
    "'four'",
    "'2024-02-29'",
    "'2024-02-31'",
    "'2024-02-29 12:30:00'",
    "'2024-02-29T12:30:00Z'",
    "'2024-02-29 12:30:00.5'",
    "'2024-02-29 12:30:00.123456'",
    "'2024-02-29 12:30:00.1234567'",
    "'2024-02-29T12:30:00.25+02:00'",
    "'2024-02-29 24:00:00'",
    "'2024-02-29 00:00:00'",
    "'29.02.2024'",
    "'00112233-4455-6677-8899-aabbccddeeff'",
    "'00112233-4455-6677-8899-AABBCCDDEEFF'",
    "'00112233445566778899aabbccddeeff'",
    "x'00112233445566778899aabbccddeeff'",
    "x'0011'",
    "'[\"a\"]'",
    "'79228162514264337593543950336'",
    "''",
];

#[tokio::test]
async fn a_rebuild_of_sqlite_keeps_each_value_or_changes_nothing() {
    let (mut converted, mut kept) = (Vec::new(), 0);
    for value_type in FIELDS {
        let table = |(number, declared): (usize, &&str)| {
            format!(
                "CREATE TABLE t{number} (id INTEGER PRIMARY KEY AUTOINCREMENT, v {declared}, row_version BIGINT NOT NULL DEFAULT 1);"
            )
        };
        let tables: Vec<_> = DECLARED.iter().enumerate().map(table).collect();
        let database = Database::Sqlite(SqliteFile::new());
        database.run(&tables.concat()).await;
        let printed = printed(&database, value_type, tables.len()).await;
        for (number, (declared, sql)) in DECLARED.iter().zip(printed).enumerate() {
            let (Some(sql), table) = (sql, &tables[number]) else { continue };
            let shown = format!(
                "SELECT 'columns', sql FROM sqlite_master WHERE name = 't{number}'; \
                 SELECT 'value', typeof(v), quote(v), id, row_version FROM t{number};"
            );
            let script: String = STORED
                .iter()
                .map(|value| {
                    let insert = format!("INSERT INTO t{number} (id, v, row_version) VALUES (5, {value}, 6);");
                    format!(".open :memory:\n{table}\n{insert}\n.print before\n{shown}\n{sql}\n.print after\n{shown}\n.print end\n")
                })
                .collect();
            let Some(output) = run(Command::new("sqlite3").args(["-batch", "-noheader"]), &script) else { return };
            let cases: Vec<_> = output.split("before\n").skip(1).collect();
            assert_eq!(cases.len(), STORED.len(), "{output}");
            for (value, case) in STORED.iter().zip(cases) {
                let (before, after) = case.split_once("after\n").unwrap();
                let after = after.strip_suffix("end\n").unwrap();
                let words = format!("{value} of `{declared}` as {}: {before} {after}\n{sql}", value_type.name());
                if before == after {
                    kept += 1;
                    continue;
                }
                let value_of = |shown: &str| {
                    let line = shown.lines().find(|line| line.starts_with("value|")).expect(&words).to_owned();
                    line.strip_suffix("|5|6").expect(&words).split_once('|').unwrap().1.to_owned()
                };
                let (before, after) = (value_of(before), value_of(after));
                let pair = Pair { column: declared, before: &before, after: &after };
                assert!(pair.is_same_in_sqlite(value_type), "{words}");
                converted.push(format!("{} {declared} {before}", value_type.name()));
            }
        }
    }
    // Most values of the usual pairs have a counterpart.
    for expected in [
        "integer TEXT text|'-12'",
        "number TEXT text|'1.5'",
        "boolean TEXT text|'False'",
        "text INTEGER integer|7",
        "text TEXT COLLATE NOCASE text|'four'",
        "date INTEGER text|'2024-02-29 00:00:00'",
        "date-time TEXT text|'2024-02-29T12:30:00.25+02:00'",
        "date-time DATETIME text|'2024-02-29 12:30:00'",
        "decimal NUMERIC real|-0.25",
        "decimal DECIMAL(10,2) integer|7",
        "JSON JSON text|'[\"a\"]'",
    ] {
        assert!(converted.iter().any(|converted| converted == expected), "{expected}: {converted:#?}");
    }
    assert!(converted.len() > 300 && kept > 300, "{} converted, {kept} kept", converted.len());
}

impl Pair<'_> {
    /// Returns `true` if both values have the same meaning. The store writes integers, `REAL`, 0 and 1, strings, dates, microseconds since 1970, UUIDs and
    /// sortable decimals.
    fn is_same_in_sqlite(&self, value_type: ValueType) -> bool {
        let split = |shown: &str| {
            let (kind, text) = shown.split_once('|').unwrap();
            (kind.to_owned(), text.trim_matches('\'').to_owned())
        };
        let ((before_kind, before), (after_kind, after)) = (split(self.before), split(self.after));
        let is = |kind: &str| after_kind == kind;
        match value_type {
            ValueType::Integer if before_kind == "real" => {
                is("integer") && before.parse::<f64>() == after.parse::<f64>()
            }
            ValueType::Integer => is("integer") && decimal(&before) == decimal(&after),
            ValueType::Number => {
                let number: f64 = before.parse().unwrap();
                (is("real") || is("integer"))
                    && after.parse() == Ok(number)
                    && (before_kind != "integer" || number.abs() < 1e16)
            }
            ValueType::Boolean => {
                let is_true = ["1", "1.0", "true", "t"].contains(&before.to_lowercase().as_str());
                let is_false = ["0", "0.0", "false", "f"].contains(&before.to_lowercase().as_str());
                is("integer") && (is_true && after == "1" || is_false && after == "0")
            }
            ValueType::Date => {
                is("text")
                    && date_time(&before).is_some_and(|moment| moment.to_string() == format!("{after}T00:00:00Z"))
            }
            ValueType::DateTime => {
                let microseconds = date_time(&before).map(|moment| moment.as_microsecond().to_string());
                before_kind == "text" && before.len() > 10 && is("integer") && microseconds == Some(after)
            }
            ValueType::Uuid if is("blob") => self.before == self.after,
            ValueType::Uuid => before.len() == 36 && after == before.to_lowercase(),
            ValueType::Decimal => is("text") && decimal(&before).is_some_and(|value| after == sortable(value)),
            ValueType::Json => {
                is("text") && before == after && serde_json::from_str::<serde_json::Value>(&after).is_ok()
            }
            // The text of a number is its shortest exact form.
            _ => {
                is("text")
                    && (before == after || before_kind == "real" && before.parse::<f64>() == after.parse::<f64>())
            }
        }
    }
}

/// The sortable form of a decimal: a sign, 29 digits, a point and 28 digits. In a negative number, each digit is subtracted from 9.
fn sortable(value: Decimal) -> String {
    let text = value.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole:0>29}.{fraction:0<28}");
    if !value.is_sign_negative() {
        return format!("0{digits}");
    }
    let complement = |digit: char| digit.to_digit(10).map_or(digit, |digit| char::from_digit(9 - digit, 10).unwrap());
    format!("-{}", digits.chars().map(complement).collect::<String>())
}
