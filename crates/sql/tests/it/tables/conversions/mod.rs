//! Values of existing columns, before and after the SQL that a start prints. The programs sqlite3 and psql run it, and continue after errors.

mod postgres;
mod sqlite;

use std::io::Write as _;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind};
use restwright_tests::skip;
use rust_decimal::Decimal;

use super::database::{Database, start};

const FIELDS: [ValueType; 9] = [
    ValueType::Integer,
    ValueType::Number,
    ValueType::Boolean,
    ValueType::Text,
    ValueType::Date,
    ValueType::DateTime,
    ValueType::Uuid,
    ValueType::Decimal,
    ValueType::Json,
];

/// Returns the SQL that the start prints for each of the tables `t0`, `t1`, .. It is `None` if the start needs none, or if no value has a counterpart.
async fn printed(database: &Database, value_type: ValueType, count: usize) -> Vec<Option<String>> {
    let definitions = (0..count).map(|number| {
        let value = FieldDefinition::new("v", value_type).nullable();
        EntityDefinition::new(format!("t{number}"), "id", IdentifierKind::Integer).field(value)
    });
    let message = start(&database.store(&definitions.collect::<Vec<_>>())).await.unwrap_err();
    let of_table = |number: usize| {
        let mut parts = message.split("\n- the table ");
        let part = parts.find(|part| part.starts_with(&format!("`t{number}` ")))?;
        let sql: Vec<_> = part.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        (!sql.is_empty()).then(|| sql.join("\n"))
    };
    (0..count).map(of_table).collect()
}

/// Runs a script and returns its output. The program continues after errors. Returns `None` if the program is missing.
fn run(program: &mut Command, script: &str) -> Option<String> {
    let spawned = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = spawned else {
        skip(format_args!("{program:?} is missing"));
        return None;
    };
    let (mut input, script) = (child.stdin.take().unwrap(), script.to_owned());
    let writing = std::thread::spawn(move || input.write_all(script.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

/// A value before and after the SQL, in the words of the database.
struct Pair<'p> {
    column: &'p str,
    before: &'p str,
    after: &'p str,
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::from_scientific(text).or_else(|_| Decimal::from_str_exact(text)).ok().map(|value| value.normalize())
}

/// Parses a date, or a date-time in UTC or with an offset.
fn date_time(text: &str) -> Option<Timestamp> {
    let text = text.replace(' ', "T");
    let in_utc = || format!("{text}{}Z", if text.len() == 10 { "T00:00:00" } else { "" }).parse().ok();
    text.parse().ok().or_else(in_utc)
}
