use std::process::Command;

use restwright_list::ValueType;

use super::super::database::on_postgres;
use super::{FIELDS, Pair, date_time, decimal, printed, run};

/// Types of PostgreSQL with values.
const TYPES: &[(&str, &[&str])] = &[
    ("smallint", &["0", "1", "7"]),
    ("integer", &["0", "1", "7", "1709209800"]),
    ("bigint", &["0", "1", "9007199254740993", "1709209800123456"]),
    ("numeric", &["0", "1", "1.5", "2.0", "-0.25", "12345678901234567890.5", "NaN"]),
    ("numeric(10,2)", &["1.50", "2.00"]),
    ("real", &["0.1", "1.5", "2", "NaN"]),
    ("double precision", &["0.1", "1.5", "2", "1e300", "0.30000000000000004", "Infinity"]),
    ("money", &["1.50", "-2.00", "1234.00"]),
    ("boolean", &["true", "false"]),
    (
        "text",
        &[
            "7",
            "007",
            "1.5",
            "true",
            "four",
            "2024-02-29",
            "2024-02-29 12:30:00",
            "2024-02-29T12:30:00.5+02:00",
            "02/03/2024",
            "[1]",
            "",
            "noon",
        ],
    ),
    ("varchar(40)", &["7", "2024-02-29T12:30:00Z", "00112233-4455-6677-8899-AABBCCDDEEFF", "{\"a\":1}"]),
    ("char(8)", &["7", "a  "]),
    ("name", &["seven"]),
    ("\"char\"", &["7"]),
    ("date", &["2024-02-29", "infinity"]),
    ("timestamp", &["2024-02-29 12:30:00.123456", "2024-02-29 00:00:00", "infinity"]),
    ("timestamp(0)", &["2024-02-29 12:30:00"]),
    ("timestamp(3)", &["2024-02-29 12:30:00.123", "2024-02-29 00:00:00"]),
    ("timestamp(6)", &["2024-02-29 12:30:00.123456"]),
    ("timestamptz", &["2024-02-29 12:30:00.123456+02", "2024-02-29 00:00:00+00"]),
    ("timestamptz(3)", &["2024-02-29 12:30:00.5+00", "2024-02-29 00:00:00+00"]),
    ("time", &["12:30:00"]),
    ("timetz", &["12:30:00+02"]),
    ("interval", &["1 mon 2 days"]),
    ("uuid", &["00112233-4455-6677-8899-aabbccddeeff"]),
    ("bytea", &["\\x00112233445566778899aabbccddeeff", "\\x00"]),
    ("json", &["[1]", "{\"a\": 1.0}"]),
    ("jsonb", &["[1]"]),
    ("xml", &["<a/>"]),
    ("inet", &["10.0.0.1"]),
    ("cidr", &["10.0.0.0/8"]),
    ("macaddr", &["08:00:2b:01:02:03"]),
    ("macaddr8", &["08:00:2b:01:02:03:04:05"]),
    ("bit(3)", &["101"]),
    ("varbit", &["1"]),
    ("point", &["(1,2)"]),
    ("line", &["{1,2,3}"]),
    ("lseg", &["[(1,2),(3,4)]"]),
    ("box", &["(3,4),(1,2)"]),
    ("path", &["((1,2),(3,4))"]),
    ("polygon", &["((1,2),(3,4))"]),
    ("circle", &["<(1,2),3>"]),
    ("tsvector", &["'a':1"]),
    ("tsquery", &["'a'"]),
    ("int4range", &["[1,3)"]),
    ("int8range", &["[1,3)"]),
    ("numrange", &["[1,3)"]),
    ("daterange", &["[2024-02-29,2024-03-01)"]),
    ("tsrange", &["empty"]),
    ("tstzrange", &["empty"]),
    ("text[]", &["{a,b}", "{}"]),
    ("integer[]", &["{1,2}"]),
    ("uuid[]", &["{}"]),
    ("oid", &["7"]),
    ("regclass", &["pg_class"]),
    ("pg_lsn", &["16/B374D848"]),
    ("mood", &["happy"]),
];

#[tokio::test]
#[ignore = "takes half a minute"]
async fn a_changed_type_of_postgres_keeps_each_value_or_changes_nothing() {
    on_postgres(async |database| {
        database.run("CREATE TYPE mood AS ENUM ('happy')").await;
        let mut converted = Vec::new();
        for value_type in FIELDS {
            let mut script = String::from("SET client_min_messages = error; SET timezone = 'Asia/Tokyo';\n");
            let mut cases = Vec::new();
            let table = |(number, (column, _)): (usize, &(&str, &[&str]))| {
                format!("CREATE TABLE t{number} (id serial PRIMARY KEY, v {column}, row_version bigint NOT NULL DEFAULT 1);")
            };
            let tables: Vec<_> = TYPES.iter().enumerate().map(table).collect();
            database.run(&tables.concat()).await;
            let printed = printed(database, value_type, tables.len()).await;
            for (number, ((column, values), sql)) in TYPES.iter().zip(printed).enumerate() {
                let Some(sql) = sql else { continue };
                let shown = format!(
                    "BEGIN; SET LOCAL timezone = 'UTC'; SELECT format_type(atttypid, atttypmod), (SELECT v::text FROM t{number}) \
                     FROM pg_attribute WHERE attrelid = 't{number}'::regclass AND attname = 'v'; COMMIT;"
                );
                for value in *values {
                    // Each value has a new table, because the SQL changes the type. A temporary table hides the other one.
                    let table = tables[number].replace("CREATE TABLE", "CREATE TEMP TABLE");
                    let table = format!("DROP TABLE IF EXISTS pg_temp.t{number}; {table}");
                    let insert = format!("INSERT INTO t{number} (v) VALUES ('{}');", value.replace('\'', "''"));
                    script.push_str(&format!("{table}\n{insert}\n{shown}\n{sql}\n{shown}\n"));
                    cases.push((*column, sql.clone()));
                }
            }
            let url = database.url();
            let Some(output) = run(Command::new("psql").args(["-X", "-q", "-A", "-t", "-d", &url]), &script) else {
                return;
            };
            let lines: Vec<_> = output.lines().collect();
            assert_eq!(lines.len(), cases.len() * 2, "{output}");
            let drop: String = (0..TYPES.len()).map(|number| format!("DROP TABLE t{number};")).collect();
            database.run(&drop).await;
            for ((column, sql), shown) in cases.iter().zip(lines.chunks(2)) {
                let [before, after] = shown else { unreachable!() };
                if before == after {
                    continue;
                }
                let value = |shown: &str| shown.split_once('|').unwrap().1.to_owned();
                let pair = Pair { column, before: &value(before), after: &value(after) };
                assert!(pair.is_same_in_postgres(value_type), "{}: {before} {after} {sql}", value_type.name());
                converted.push(format!("{} {before}", value_type.name()));
            }
        }
        for expected in [
            "integer numeric|2.0",
            "integer text|7",
            "number numeric|1.5",
            "number money|$1.50",
            "boolean integer|1",
            "text character(8)|a",
            "text mood|happy",
            "date timestamp without time zone|2024-02-29 00:00:00",
            "date-time date|2024-02-29",
            "date-time text|2024-02-29 12:30:00",
            "uuid bytea|\\x00112233445566778899aabbccddeeff",
            "decimal double precision|0.30000000000000004",
            "JSON text[]|{a,b}",
        ] {
            assert!(converted.iter().any(|converted| converted == expected), "{expected}: {converted:#?}");
        }
    })
    .await;
}

impl Pair<'_> {
    /// Returns `true` if both values have the same meaning.
    fn is_same_in_postgres(&self, value_type: ValueType) -> bool {
        let (before, after) = (self.before, self.after);
        let number = before.replace(['$', ','], "");
        let number = match (self.column, number.as_str()) {
            ("boolean", "t") | ("boolean", "true") => "1",
            ("boolean", "f") | ("boolean", "false") => "0",
            (_, number) => number,
        };
        match value_type {
            ValueType::Integer | ValueType::Decimal if before == "NaN" || before == "Infinity" => {
                value_type == ValueType::Decimal && before == after
            }
            ValueType::Number if before == after => true,
            ValueType::Decimal if self.column == "double precision" => before.parse::<f64>() == after.parse::<f64>(),
            ValueType::Number if matches!(self.column, "real" | "double precision") => {
                number.parse::<f32>() == after.parse::<f32>()
            }
            ValueType::Integer | ValueType::Number | ValueType::Decimal => {
                number == after || decimal(number).is_some_and(|number| Some(number) == decimal(after))
            }
            ValueType::Boolean => match after {
                "t" | "true" => ["1", "1.0", "true", "t"].contains(&before),
                _ => ["0", "0.0", "false", "f"].contains(&before),
            },
            ValueType::Date => {
                before == after
                    || date_time(&offset(before))
                        .is_some_and(|moment| moment.to_string() == format!("{after}T00:00:00Z"))
            }
            ValueType::DateTime => before == after || date_time(&offset(before)) == date_time(&offset(after)),
            ValueType::Uuid => before.replace("\\x", "").replace('-', "").to_lowercase() == after.replace('-', ""),
            ValueType::Json if matches!(self.column, "text" | "varchar(40)" | "char(8)" | "name") => before == after,
            ValueType::Json => serde_json::from_str::<serde_json::Value>(after).is_ok(),
            _ if self.column.starts_with("timestamp") => {
                before == after || date_time(&offset(before)) == date_time(after)
            }
            _ => before == after,
        }
    }
}

/// Writes an offset such as `+00` with minutes.
fn offset(text: &str) -> String {
    let is_short = text.len() > 13 && text.get(text.len() - 3..).is_some_and(|end| end.starts_with(['+', '-']));
    if is_short { format!("{text}:00") } else { text.to_owned() }
}
