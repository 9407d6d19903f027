//! Random values, at the edges of what stores keep and compare.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use restwright_list::{Value, ValueType};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::choices::Choices;
use super::thing::{Kind, Thing};

/// Texts that sort, fold or match in ways of their own.
const TEXTS: [&str; 30] = [
    "",
    "a",
    "A",
    "ab",
    "aB",
    "b",
    "Ada",
    "ada",
    "%",
    "_",
    "a_b",
    "a%b",
    "\\",
    "a\\%",
    "'",
    "\"",
    "a'b\"c",
    "ß",
    "SS",
    "İ",
    "ı",
    "Σ",
    "ς",
    "σίς",
    "é",
    "e\u{301}",
    "\u{D7FF}",
    "\u{E000}",
    "\u{FFFD}",
    "\u{1F980}",
];

const CODES: [&str; 5] = ["a", "A", "b", "ß", "c/d é"];

fn text(choices: &mut Choices<'_>) -> String {
    if choices.once_in(40) {
        return choices.pick(&["a\0b", "\0", "a\0"]).to_owned();
    }
    let text = choices.pick(&TEXTS);
    if choices.once_in(4) { format!("{text}{}", choices.pick(&TEXTS)) } else { text.to_owned() }
}

fn integer(choices: &mut Choices<'_>) -> i64 {
    choices.pick(&[0, 1, -1, 2, 7, 10, i64::MAX, i64::MIN, i64::MAX - 1, 9_007_199_254_740_993, -9_007_199_254_740_993])
}

fn number(choices: &mut Choices<'_>) -> f64 {
    choices.pick(&[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        -1.5,
        0.1,
        7.0,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        9_007_199_254_740_992.0,
        9_223_372_036_854_775_807.0,
        1e300,
    ])
}

/// Times around a second, some finer than a microsecond, and the first and the last there are.
fn moment(choices: &mut Choices<'_>) -> Timestamp {
    const SECOND: i128 = 1_700_000_000_000_000_000;
    let nanoseconds = choices.pick(&[0, 1_000, 999, 1_001, -1, -1_000, 500_000_000, 1_000_000_000, 7_200_000_000_000]);
    match choices.below(12) {
        0 => Timestamp::UNIX_EPOCH,
        1 => Timestamp::from_nanosecond(-1).unwrap(),
        2 => Timestamp::from_nanosecond(-999_999_999_999_999_999).unwrap(),
        3 => Timestamp::from_second(-62_167_219_200).unwrap(),
        4 => choices.pick(&[Timestamp::MAX, Timestamp::MIN, Timestamp::from_second(-62_167_219_201).unwrap()]),
        _ => Timestamp::from_nanosecond(SECOND + nanoseconds).unwrap(),
    }
}

fn day(choices: &mut Choices<'_>) -> Date {
    if choices.once_in(20) {
        return choices.pick(&[date(-1, 12, 31), Date::MIN, Date::MAX]);
    }
    choices.pick(&[
        date(2024, 2, 29),
        date(2024, 3, 1),
        date(1999, 12, 31),
        date(2000, 1, 1),
        date(0, 1, 1),
        date(9, 9, 9),
    ])
}

fn uuid(choices: &mut Choices<'_>) -> Uuid {
    Uuid::from_u128(choices.pick(&[0, 1, 2, 0xFF << 120, u128::MAX]))
}

fn json_value(choices: &mut Choices<'_>) -> Option<Json> {
    choices.pick(&[
        None,
        Some(json!({"b": 1, "a": [true, null, {"x": 1.5}]})),
        Some(json!([])),
        Some(json!("text with \" and \\ and é \u{1F980}")),
        Some(json!(18_446_744_073_709_551_615_u64)),
        Some(json!(1e300)),
        Some(json!(false)),
    ])
}

fn maybe<T>(choices: &mut Choices<'_>, make: impl FnOnce(&mut Choices<'_>) -> T) -> Option<T> {
    if choices.once_in(4) { None } else { Some(make(choices)) }
}

/// Few identifiers, so that they meet.
pub(crate) fn identifier(choices: &mut Choices<'_>, kind: Kind) -> Value<'static> {
    match kind {
        Kind::Family => choices.pick(&CODES).into(),
        Kind::Thing => thing_number(choices).into(),
        Kind::Part => uuid(choices).into(),
    }
}

fn thing_number(choices: &mut Choices<'_>) -> i64 {
    choices.pick(&[1, 2, 3, 4, 0, -1, i64::MAX])
}

pub(crate) fn tenant(choices: &mut Choices<'_>) -> i64 {
    if choices.once_in(4) { 2 } else { 1 }
}

pub(crate) fn thing(choices: &mut Choices<'_>, kind: Kind) -> Thing {
    let mut thing = Thing { tenant: tenant(choices), ..Thing::default() };
    match (kind, identifier(choices, kind)) {
        (_, Value::Text(code)) => thing.code = code.into_owned(),
        (_, Value::Uuid(uuid)) => thing.uuid = uuid,
        (_, Value::Integer(number)) => thing.number = number.try_into().unwrap(),
        _ => unreachable!("there are three kinds of identifiers"),
    }
    let code = |choices: &mut Choices<'_>| choices.once_in(2).then(|| choices.pick(&CODES).to_owned());
    match kind {
        Kind::Family => {
            (thing.label, thing.origin) = (text(choices), code(choices));
            thing.email = maybe(choices, text);
        }
        Kind::Part => {
            (thing.family, thing.count) = (code(choices), integer(choices));
            thing.owner = maybe(choices, thing_number);
            thing.text = maybe(choices, text);
        }
        Kind::Thing => set_values(&mut thing, choices),
    }
    thing
}

fn set_values(thing: &mut Thing, choices: &mut Choices<'_>) {
    thing.family = choices.once_in(3).then(|| choices.pick(&CODES).to_owned());
    thing.next = choices.once_in(4).then(|| thing_number(choices));
    thing.serial = choices.once_in(3).then(|| integer(choices));
    thing.seen = choices.once_in(3).then(|| moment(choices));
    thing.ratio = choices.once_in(3).then(|| number(choices));
    thing.label = text(choices);
    thing.text = maybe(choices, text);
    thing.plain = maybe(choices, text);
    thing.color = maybe(choices, |choices| choices.pick(&["red", "Red", "blue", "green"]).to_owned());
    thing.level = maybe(choices, |choices| choices.pick(&[1, 2, 10, -1]));
    thing.integer = maybe(choices, integer);
    thing.natural = maybe(choices, |choices| choices.pick(&[0, 1, 2, 7, i64::MAX as u64, u64::MAX]));
    thing.weight = maybe(choices, number);
    thing.float =
        maybe(choices, |choices| choices.pick(&[0.0, -0.0, 0.1, 1.5, f32::MAX, f32::MIN_POSITIVE, 16_777_216.0]));
    thing.flag = maybe(choices, |choices| choices.once_in(2));
    thing.day = maybe(choices, day);
    thing.moment = maybe(choices, moment);
    thing.other = maybe(choices, uuid);
    thing.count = integer(choices);
    thing.width = if choices.once_in(60) { f64::NAN } else { number(choices) };
    thing.since = day(choices);
    thing.at = moment(choices);
    thing.is_new = choices.once_in(2);
    thing.json = json_value(choices);
    thing.tags = choices.pick(&[vec![], vec!["a".to_owned(), "\u{E000}".to_owned()]]);
}

/// A value to compare with one of a type, rarely of another type.
pub(crate) fn operand(choices: &mut Choices<'_>, value_type: ValueType) -> Value<'static> {
    const TYPES: [ValueType; 7] = [
        ValueType::Text,
        ValueType::Integer,
        ValueType::Number,
        ValueType::Boolean,
        ValueType::Date,
        ValueType::DateTime,
        ValueType::Uuid,
    ];
    if choices.once_in(30) {
        let other = choices.pick(&TYPES);
        return operand(choices, other);
    }
    if choices.once_in(40) {
        return Value::Null;
    }
    match value_type {
        ValueType::Enumeration => match choices.below(2) {
            0 => choices.pick(&["red", "Red", "blue", "violet"]).into(),
            _ => choices.pick(&[1, 2, 10, -1, 3]).into(),
        },
        // Integers and numbers are compared by value.
        ValueType::Integer | ValueType::Number | ValueType::Float => match choices.below(4) {
            0 | 1 if value_type == ValueType::Integer => integer(choices).into(),
            0 | 1 => number(choices).into(),
            2 => Value::Integer(choices.pick(&[
                i128::from(i64::MAX) + 1,
                i128::from(i64::MIN) - 1,
                i128::MAX,
                i128::MIN,
                1,
                2,
            ])),
            _ => choices.pick(&[0.5, -0.5, 1.0, 1e19, -1e19, 0.1, f64::from(0.1_f32), 9_007_199_254_740_993.0]).into(),
        },
        ValueType::Boolean => choices.once_in(2).into(),
        ValueType::Date => day(choices).into(),
        ValueType::DateTime => moment(choices).into(),
        ValueType::Uuid => uuid(choices).into(),
        _ => text(choices).into(),
    }
}

/// A part of a text that is looked for.
pub(crate) fn search(choices: &mut Choices<'_>) -> String {
    text(choices)
}
