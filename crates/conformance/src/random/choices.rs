//! Generates random values for the test suite. Most values are edge cases.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use restwright_list::{Value, ValueType};
use rust_decimal::Decimal;
use serde_json::{Value as Json, json};
use uuid::Uuid;

/// Strings that are edge cases for sorting, case folding or searching.
const TEXTS: [&str; 36] = [
    "",
    "a",
    "A",
    "ab",
    "aB",
    "b",
    "Ada",
    "ada",
    " a ",
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
    "ẞ",
    "İ",
    "ı",
    "Σ",
    "ς",
    "σίς",
    "é",
    "É",
    "e\u{301}",
    "\u{D7FF}",
    "\u{E000}",
    "\u{FFFD}",
    "\u{1F980}",
    "\u{10FFFF}",
    "'; --",
    "a\r\n\t\u{1}",
];
const INTEGERS: [i64; 11] =
    [0, 1, -1, 2, 7, 10, i64::MAX, i64::MIN, i64::MAX - 1, 9_007_199_254_740_993, -9_007_199_254_740_993];
const NUMBERS: [f64; 16] = [
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
];
const FLOATS: [f32; 7] = [0.0, -0.0, 0.1, 1.5, f32::MAX, f32::MIN_POSITIVE, 16_777_216.0];

const DECIMALS: [&str; 12] =
    ["0", "-0.0", "0.10", "0.1", "1.5", "1.50", "-1.5", "-1.49", "9.99", "10", "99999999999999999999.99", "-100"];

/// A pseudorandom number generator that uses the SplitMix64 algorithm.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a random number that is less than `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    /// Returns `true` with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn pick<T: Clone + Default>(&mut self, alternatives: &[T]) -> T {
        alternatives.get(self.below(alternatives.len())).cloned().unwrap_or_default()
    }

    /// Returns a random value for a field of the given type. In rare cases, no store accepts the value.
    pub(super) fn value(&mut self, value_type: ValueType) -> Value<'static> {
        match value_type {
            ValueType::Text => self.text().into(),
            ValueType::Integer => self.pick(&INTEGERS).into(),
            ValueType::Number => self.pick(&NUMBERS).into(),
            ValueType::Float => f64::from(self.pick(&FLOATS)).into(),
            ValueType::Boolean => self.once_in(2).into(),
            ValueType::Date => self.date().into(),
            ValueType::DateTime => self.moment().into(),
            ValueType::Uuid => self.uuid().into(),
            ValueType::Decimal => self.decimal().into(),
            _ => Value::Null,
        }
    }

    /// Returns a random filter operand for a field of the given type. In rare cases, the operand has another type.
    pub(super) fn operand(&mut self, value_type: ValueType) -> Value<'static> {
        const EXACT: [f64; 8] = [0.5, -0.5, 1.0, 1e19, -1e19, 0.1, 0.100_000_001_490_116_12, 9_007_199_254_740_993.0];
        const BEYOND: [i128; 6] = [1 << 63, -(1 << 63) - 1, i128::MAX, i128::MIN, 1, 2];
        const OTHERS: [ValueType; 5] =
            [ValueType::Text, ValueType::Boolean, ValueType::DateTime, ValueType::Uuid, ValueType::Decimal];
        if self.once_in(30) {
            let other = OTHERS.get(self.below(OTHERS.len())).copied().unwrap_or(ValueType::Text);
            return self.value(other);
        }
        if self.once_in(40) {
            return Value::Null;
        }
        match value_type {
            ValueType::Enumeration if self.once_in(2) => self.pick(&[1_i64, 2, 10, -1, 3]).into(),
            ValueType::Enumeration => self.color().into(),
            // Integers and floating-point numbers are compared by value.
            ValueType::Integer | ValueType::Number | ValueType::Float => match self.below(5) {
                0 => Value::Integer(self.pick(&BEYOND)),
                2 => self.pick(&INTEGERS).into(),
                1 => self.pick(&EXACT).into(),
                _ => self.value(value_type),
            },
            _ => self.value(value_type),
        }
    }

    pub(super) fn text(&mut self) -> String {
        if self.once_in(40) {
            return self.pick(&["a\0b", "\0", "a\0"]).to_owned();
        }
        let text = self.pick(&TEXTS);
        if self.once_in(4) { format!("{text}{}", self.pick(&TEXTS)) } else { text.to_owned() }
    }

    pub(super) fn color(&mut self) -> &'static str {
        self.pick(&["red", "Red", "blue", "green"])
    }

    pub(super) fn uuid(&mut self) -> Uuid {
        Uuid::from_u128(self.pick(&[0, 1, 2, 0xFF << 120, u128::MAX]))
    }

    /// Returns a decimal. Some differ only in zeros at the end, and some have more than two digits after the point.
    fn decimal(&mut self) -> Decimal {
        let value = self.pick(&DECIMALS).parse().unwrap_or_default();
        if self.once_in(20) {
            self.pick(&[Decimal::MAX, Decimal::MIN, Decimal::new(1, 28), Decimal::new(-1, 3)])
        } else {
            value
        }
    }

    fn date(&mut self) -> Date {
        if self.once_in(20) {
            return self.pick(&[date(-1, 12, 31), Date::MIN, Date::MAX]);
        }
        self.pick(&[date(2024, 2, 29), date(2024, 3, 1), date(1999, 12, 31), date(2000, 1, 1), date(0, 1, 1)])
    }

    /// Returns a random date-time. Most are close to a full second. Others are edge cases, such as the first and the last possible
    /// date-time. Some are more precise than a microsecond.
    fn moment(&mut self) -> Timestamp {
        const SECOND: i128 = 1_700_000_000_000_000_000;
        const AROUND: [i128; 9] = [0, 1_000, 999, 1_001, -1, -1_000, 500_000_000, 1_000_000_000, 7_200_000_000_000];
        let edge = |second| Timestamp::from_second(second).unwrap_or_default();
        match self.below(12) {
            0 => Timestamp::UNIX_EPOCH,
            1 => Timestamp::from_nanosecond(-1).unwrap_or_default(),
            2 => Timestamp::from_nanosecond(-999_999_999_999_999_999).unwrap_or_default(),
            3 => edge(-62_167_219_200),
            4 => self.pick(&[Timestamp::MAX, Timestamp::MIN, edge(-62_167_219_201)]),
            _ => Timestamp::from_nanosecond(SECOND + self.pick(&AROUND)).unwrap_or_default(),
        }
    }

    pub(super) fn json(&mut self) -> Option<Json> {
        self.pick(&[
            None,
            Some(json!({"b": 1, "a": [true, null, {"x": 1.5}]})),
            Some(json!([])),
            Some(json!("text with \" and \\ and é \u{1F980}")),
            Some(json!(u64::MAX)),
            Some(json!(1e300)),
            Some(json!(false)),
        ])
    }

    pub(super) fn tags(&mut self) -> Vec<String> {
        let tags: &[&str] = self.pick(&[&[], &["a", "\u{E000}"], &["A", "a", "a"], &["", "'", "\""], &["[\"a\"]"]]);
        tags.iter().map(|tag| (*tag).to_owned()).collect()
    }
}
