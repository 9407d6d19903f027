//! What bodies of 1 MiB cost that are made to be costly: `cargo bench -p restwright-benches --bench hostile`, and the names of shapes
//! behind `--` for those alone.
//!
//! User-space instructions, counted with valgrind's callgrind as the difference of two runs, of reading a text by a schema, over those that
//! serde_json takes to read a valid text of that shape and size into a `Value`. It fails for a shape that costs more than [`BOUND`] times as much.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a benchmark prints, and stops at the first surprise"
)]

use std::collections::HashMap;
use std::hint::black_box;
use std::process::Command;

use restwright_schema::{
    CompiledSchema, Format, OneOf, PropertyCollection, Registry, Schema, SchemaObject, SchemaSide, SchemaType, int64,
    typed_schema,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

const SIZE: usize = 1 << 20;
/// How many times as many instructions as serde_json a text may cost.
const BOUND: f64 = 5.0;
/// How many times as many instructions as the same values without them 100 violations may cost.
const VIOLATIONS_BOUND: f64 = 15.0;
/// Without it glibc copies large blocks with one instruction, which callgrind counts once for each byte.
const TUNABLES: &str = "glibc.cpu.x86_rep_stosb_threshold=100000000:glibc.cpu.x86_rep_movsb_threshold=100000000";

struct Shape {
    name: &'static str,
    /// A text of this shape that serde_json reads.
    valid: fn() -> String,
    text: fn() -> Vec<u8>,
    schema: fn(&mut Registry) -> SchemaObject,
    read: fn(&CompiledSchema, &[u8]) -> bool,
    accepted: bool,
}

/// The same text for both.
macro_rules! shapes {
    ($($name:literal: $type:ty, $schema:expr, $accepted:literal, $text:expr $(, as $valid:expr)?;)*) => {
        const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            valid: || { let valid: fn() -> String = shapes!(@ $text $(, $valid)?); valid() },
            text: || { let text: fn() -> String = $text; text().into_bytes() },
            schema: $schema,
            read: read::<$type>,
            accepted: $accepted,
        },)*];
    };
    (@ $text:expr) => { $text };
    (@ $text:expr, $valid:expr) => { $valid };
}

fn read<T: DeserializeOwned + Schema>(schema: &CompiledSchema, text: &[u8]) -> bool {
    schema.read::<T>(text, 100).is_ok()
}

fn of<T: Schema>(registry: &mut Registry) -> SchemaObject {
    typed_schema::<T>(registry).into_schema()
}

/// `[`, the piece as often as it fits, an end, `]`.
fn items(piece: &str, end: &str) -> String {
    format!("[{}{end}]", format!("{piece},").repeat(SIZE / (piece.len() + 1)))
}

fn numbered(open: &str, piece: fn(usize) -> String, close: &str) -> String {
    let mut text = open.to_owned();
    let mut number = 0;
    while text.len() < SIZE {
        text.push_str(&piece(number));
        text.push(',');
        number += 1;
    }
    text.pop();
    text + close
}

fn quoted(piece: &str) -> String {
    format!("\"{}\"", piece.repeat(SIZE / piece.len()))
}

fn nested() -> String {
    items(&format!("{}{}", "[".repeat(126), "]".repeat(126)), "[]")
}

fn unique(registry: &mut Registry) -> SchemaObject {
    let _ = registry;
    SchemaObject::array(SchemaObject::any()).unique_items()
}

fn point() -> PropertyCollection {
    PropertyCollection::new("Point").property(int64("x")).property(int64("y").optional())
}

fn defaulted(registry: &mut Registry) -> SchemaObject {
    let _ = registry;
    SchemaObject::array(PropertyCollection::new("Defaulted").property(int64("x")).property(int64("y").default_value(1)))
}

fn union(registry: &mut Registry) -> SchemaObject {
    let _ = registry;
    let shape = OneOf::new("Shape", "type").variant("point", point()).variant("none", PropertyCollection::new("None"));
    SchemaObject::array(SchemaType::from(shape))
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "it is read")]
struct Point {
    x: i64,
    y: Option<i64>,
}

impl Schema for Point {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        point().into()
    }
}

fn closed(_: &mut Registry) -> SchemaObject {
    SchemaObject::new(point().closed())
}

type Map = HashMap<String, i64>;

shapes! {
    "digits": f64, of::<f64>, false, || "1".repeat(SIZE), as || format!("0.{}", "1".repeat(SIZE));
    "digits, for an integer": i64, of::<i64>, false, || "1".repeat(SIZE), as || format!("0.{}", "1".repeat(SIZE));
    "fraction": f64, of::<f64>, true, || format!("0.{}", "1".repeat(SIZE));
    "fraction, for an integer": i64, of::<i64>, false, || format!("0.{}", "1".repeat(SIZE));
    "fraction of zeros, for an integer": i64, of::<i64>, true, || format!("1.{}", "0".repeat(SIZE));
    "exponent": f64, of::<f64>, true, || format!("1e{}1", "0".repeat(SIZE));
    "exponent, beyond": f64, of::<f64>, false, || format!("1e{}", "9".repeat(SIZE)), as || format!("1e{}1", "0".repeat(SIZE));
    "number in a string": f64, of::<f64>, false, || quoted("1");
    "string": String, of::<String>, true, || quoted("a");
    "string, too long": String, |_| SchemaObject::string().max_length(100), false, || quoted("a");
    "string, beyond ASCII": String, |_| SchemaObject::string().max_length(100), false, || quoted("é");
    "string of escapes": String, of::<String>, true, || quoted("\\n");
    "string of escapes, too long": String, |_| SchemaObject::string().max_length(100), false, || quoted("\\n");
    "string of code points": String, of::<String>, true, || quoted("\\u00e9");
    "string of code points, too long": String, |_| SchemaObject::string().max_length(100), false, || quoted("\\u00e9");
    "string of pairs, too long": String, |_| SchemaObject::string().max_length(100), false, || quoted("\\ud83d\\ude00");
    "string for an integer": i64, of::<i64>, false, || quoted("a");
    "pattern": String, |_| SchemaObject::string().pattern("^[a-z]+$"), true, || quoted("a");
    "pattern, refused at the end": String, |_| SchemaObject::string().pattern("^[a-z]+$"), false, || format!("\"{}1\"", "a".repeat(SIZE));
    "pattern anywhere": String, |_| SchemaObject::string().pattern("[0-9]x"), false, || quoted("1");
    "pattern of alternatives": String, |_| SchemaObject::string().pattern("^(a|aa|aaa)*b$"), false, || quoted("a");
    "format, email": String, |_| SchemaObject::string().format(Format::EMAIL), false, || quoted("a");
    "format, uri": String, |_| SchemaObject::string().format(Format::uri(&["https"])), true, || format!("\"https://example.com/{}\"", "a".repeat(SIZE));
    "enumeration": String, |_| SchemaObject::enumeration(["a", "b"]), false, || quoted("a");
    "date-time": String, |_| SchemaObject::date_time(), false, || quoted("2");
    "nested": Value, of::<Value>, true, nested;
    "nested, for integers": Vec<i64>, of::<Vec<i64>>, false, nested;
    "nested too deep": Value, of::<Value>, false, || "[".repeat(SIZE), as nested;
    "nested objects too deep": Value, of::<Value>, false, || "{\"a\":".repeat(SIZE / 5), as nested;
    "empty arrays": Value, of::<Value>, true, || items("[]", "[]");
    "empty arrays, for integers": Vec<i64>, of::<Vec<i64>>, false, || items("[]", "[]");
    "empty objects": Value, of::<Value>, true, || items("{}", "{}");
    "empty objects, required missing": Vec<Point>, of::<Vec<Point>>, false, || items("{}", "{}");
    "integers": Vec<i64>, of::<Vec<i64>>, true, || items("1", "1");
    "integers, the last is wrong": Vec<i64>, of::<Vec<i64>>, false, || items("1", "true");
    "integers, all too small": Vec<i64>, |_| SchemaObject::array(SchemaObject::int64().minimum(5)), false, || items("1", "1");
    "integers, too many": Vec<i64>, |_| SchemaObject::array(SchemaObject::int64()).max_items(10), false, || items("1", "1");
    "integers as fractions": Vec<i64>, of::<Vec<i64>>, true, || items("1.0", "1.0");
    "doubles": Vec<f64>, of::<Vec<f64>>, true, || items("1.5", "1.5");
    "long doubles": Vec<f64>, of::<Vec<f64>>, true, || items("0.12345678901234567", "1.5");
    "doubles, the last is wrong": Vec<f64>, of::<Vec<f64>>, false, || items("1.5", "true");
    "doubles, the last is beyond": Vec<f64>, of::<Vec<f64>>, false, || items("1.5", "1e400"), as || items("1.5", "1e300");
    "doubles, all beyond": Vec<f64>, of::<Vec<f64>>, false, || items("1e999", "1e999"), as || items("1e299", "1e299");
    "strings for integers": Vec<i64>, of::<Vec<i64>>, false, || items("\"a\"", "\"a\"");
    "nulls": Vec<Option<i64>>, of::<Vec<Option<i64>>>, true, || items("null", "null");
    "nulls, refused": Vec<i64>, of::<Vec<i64>>, false, || items("null", "null");
    "booleans": Vec<bool>, of::<Vec<bool>>, true, || items("true", "false");
    "strings": Vec<String>, of::<Vec<String>>, true, || items("\"a\"", "\"a\"");
    "objects": Vec<Point>, of::<Vec<Point>>, true, || items("{\"x\":1,\"y\":2}", "{\"x\":1}");
    "objects, the last is wrong": Vec<Point>, of::<Vec<Point>>, false, || items("{\"x\":1,\"y\":2}", "{\"x\":\"\"}");
    "objects, all wrong": Vec<Point>, of::<Vec<Point>>, false, || items("{\"x\":\"\",\"y\":\"\"}", "{}");
    "objects with a default": Vec<Point>, defaulted, true, || items("{\"x\":1}", "{\"x\":1}");
    "map": Map, of::<Map>, true, || numbered("{", |number| format!("\"{number}\":1"), "}");
    "map, the last is wrong": Map, of::<Map>, false, || numbered("{", |number| format!("\"{number}\":1"), ",\"x\":[]}");
    "map, each twice": Map, of::<Map>, false, || numbered("{", |number| format!("\"{}\":1", number / 2), "}");
    "any, each key twice": Value, of::<Value>, false, || numbered("{", |number| format!("\"{}\":1", number / 2), "}");
    "unknown keys": Point, of::<Point>, true, || numbered("{\"x\":1,", |number| format!("\"{number}\":1"), "}");
    "unknown keys, closed": Point, closed, false, || numbered("{\"x\":1,", |number| format!("\"{number}\":1"), "}");
    "unknown keys, the last is wrong": Point, of::<Point>, false, || numbered("{", |number| format!("\"{number}\":1"), ",\"x\":[]}");
    "one unknown key, again and again": Point, of::<Point>, false, || numbered("{", |_| "\"a\":1".to_owned(), "}");
    "a known key, again and again": Point, of::<Point>, false, || numbered("{", |_| "\"x\":1".to_owned(), "}");
    "a long key": Point, of::<Point>, true, || format!("{{\"x\":1,{}:1}}", quoted("a"));
    "a long key, closed": Point, closed, false, || format!("{{\"x\":1,{}:1}}", quoted("~"));
    "long keys": Map, of::<Map>, true, || numbered("{", |number| format!("\"{}{number}\":1", "a".repeat(1000)), "}");
    "unions": Value, union, true, || items("{\"x\":1,\"type\":\"point\"}", "{\"type\":\"none\"}");
    "unions, the last is wrong": Value, union, false, || items("{\"x\":1,\"type\":\"point\"}", "{\"type\":1}");
    "unions, all wrong": Value, union, false, || items("{\"type\":\"a\"}", "{}");
    "a union of many keys": Value, union, true, || numbered("[{", |number| format!("\"{number}\":1"), ",\"x\":1,\"type\":\"point\"}]");
    "unique integers": Value, unique, true, || numbered("[", |number| number.to_string(), "]");
    "unique strings": Value, unique, true, || numbered("[", |number| format!("\"{number}\""), "]");
    "unique arrays": Value, unique, true, || numbered("[", |number| format!("[{number}]"), "]");
    "unique objects": Value, unique, true, || numbered("[", |number| format!("{{\"a\":{number}}}"), "]");
    "unique, all equal": Value, unique, false, || items("1", "1");
    "unique, equal objects": Value, unique, false, || items("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}");
    "unique, two long ones": Value, unique, true, || numbered("[{", |number| format!("\"{number}\":1"), "},{\"a\":1}]");
    "cut off in an array": Vec<i64>, of::<Vec<i64>>, false, || format!("[{}", "1,".repeat(SIZE / 2)), as || items("1", "1");
    "cut off in a string": String, of::<String>, false, || quoted("a")[..SIZE].to_owned(), as || quoted("a");
    "cut off in an escape": String, of::<String>, false, || format!("\"{}\\", "a".repeat(SIZE)), as || quoted("a");
    "cut off in a number": f64, of::<f64>, false, || format!("0.{}e", "1".repeat(SIZE)), as || format!("0.{}", "1".repeat(SIZE));
    "cut off in an object": Map, of::<Map>, false, || numbered("{", |number| format!("\"{number}\":1"), ""), as || numbered("{", |number| format!("\"{number}\":1"), "}");
    "cut off behind a key": Map, of::<Map>, false, || numbered("{", |number| format!("\"{number}\":1"), ",\"a\""), as || numbered("{", |number| format!("\"{number}\":1"), "}");
    "a bare control character": String, of::<String>, false, || format!("\"{}\n\"", "a".repeat(SIZE)), as || quoted("a");
    "half of a pair": String, of::<String>, false, || format!("\"{}\\ud83d\"", "a".repeat(SIZE)), as || quoted("a");
    "something behind it": Vec<i64>, of::<Vec<i64>>, false, || format!("{}x", items("1", "1")), as || items("1", "1");
    "doubles beyond, cut off": Vec<f64>, of::<Vec<f64>>, false, || format!("[{}", "1e999,".repeat(SIZE / 6)), as || items("1e299", "1e299");
    "white space before": i64, of::<i64>, true, || format!("{}1", " ".repeat(SIZE));
    "white space behind": i64, of::<i64>, true, || format!("1{}", "\n".repeat(SIZE));
    "white space, then something": i64, of::<i64>, false, || format!("1{}x", " ".repeat(SIZE)), as || format!("1{}", " ".repeat(SIZE));
    "white space between": Vec<i64>, of::<Vec<i64>>, true, || items("1 \t\n", "1");
}

/// 100 integers, with a violation each or with none; the first stands for the second.
const HUNDRED: Shape = Shape {
    name: "100 violations",
    valid: String::new,
    text: || hundred("4"),
    schema: |_| SchemaObject::array(SchemaObject::int64().minimum(5)),
    read: read::<Vec<i64>>,
    accepted: false,
};

fn hundred(item: &str) -> Vec<u8> {
    format!("[{}]", vec![item; 100].join(",")).into_bytes()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["run", side, name, times] => run(side, name, times.parse().unwrap()),
        _ => table(&arguments),
    }
}

fn table(names: &[&str]) {
    println!("| 1 MiB | verdict | serde_json, thousands | restwright, thousands | ratio |");
    println!("|---|---|--:|--:|--:|");
    let mut beyond = Vec::new();
    for shape in SHAPES.iter().filter(|shape| names.is_empty() || names.contains(&shape.name)) {
        let (theirs, ours) = (instructions("serde_json", shape.name), instructions("restwright", shape.name));
        let ratio = ours / theirs;
        let verdict = if shape.accepted { "accepted" } else { "refused" };
        println!("| {} | {verdict} | {:.0} | {:.0} | {ratio:.2} |", shape.name, theirs / 1e3, ours / 1e3);
        if ratio > BOUND {
            beyond.push(shape.name);
        }
    }
    if names.is_empty() || names.contains(&HUNDRED.name) {
        let (without, with) = (instructions("hundred-valid", HUNDRED.name), instructions("hundred", HUNDRED.name));
        let ratio = with / without;
        println!(
            "\n100 integers take {:.1} thousand, with 100 violations {:.1} thousand, {ratio:.1} times",
            without / 1e3,
            with / 1e3
        );
        if ratio > VIOLATIONS_BOUND {
            beyond.push(HUNDRED.name);
        }
    }
    assert!(beyond.is_empty(), "beyond the bound: {beyond:?}");
}

/// Reads a text so many times.
fn run(side: &str, name: &str, times: u32) {
    let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap_or(&HUNDRED);
    let mut registry = Registry::new();
    let schema = (shape.schema)(&mut registry);
    let schema = registry.compile(schema, SchemaSide::Input, None);
    assert!(registry.errors().is_empty(), "{:?}", registry.errors());
    let (text, accepted) = match side {
        "serde_json" => ((shape.valid)().into_bytes(), true),
        "hundred-valid" => (hundred("5"), true),
        _ => ((shape.text)(), shape.accepted),
    };
    for _ in 0..times {
        let verdict = match side {
            "serde_json" => serde_json::from_slice::<Value>(black_box(&text)).is_ok(),
            _ => (shape.read)(&schema, black_box(&text)),
        };
        assert_eq!(verdict, accepted, "{name}");
    }
}

/// Of one reading.
fn instructions(side: &str, name: &str) -> f64 {
    let total = |times: u32| {
        let report = std::env::temp_dir().join(format!("hostile-{}.callgrind", std::process::id()));
        let mut command = Command::new("valgrind");
        command.env("GLIBC_TUNABLES", TUNABLES);
        command.args(["--quiet", "--tool=callgrind", &format!("--callgrind-out-file={}", report.display())]);
        command.arg(std::env::current_exe().unwrap()).args(["run", side, name, &times.to_string()]);
        assert!(command.status().expect("valgrind is installed").success(), "{side}: {name}");
        let text = std::fs::read_to_string(&report).unwrap();
        std::fs::remove_file(&report).unwrap();
        let total = text.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
        total.trim().parse::<f64>().unwrap()
    };
    (total(3) - total(1)) / 2.0
}
