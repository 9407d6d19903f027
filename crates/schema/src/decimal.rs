//! Defines [`Decimal`], a JSON number in its original notation, without rounding.

use crate::number::Number;
use crate::steps;

/// A JSON number (RFC 8259, section 6), split into integer, fraction and exponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'t> {
    text: &'t str,
    integer: &'t str,
    fraction: &'t str,
    /// The exponent with its sign. Empty if the number has no exponent.
    exponent: &'t str,
}

/// A JSON number, stored both as a 64-bit number and as an exact integer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenNumber {
    /// The number as a 64-bit integer, or else as the nearest double.
    pub(crate) value: Number,
    /// The number as an exact integer, or `None` if the number has a fraction.
    ///
    /// An integer beyond 64 bits is a float that is greater (or, if negative, less) than every 64-bit integer.
    pub(crate) integer: Option<Number>,
}

/// The maximum number of digits of a 64-bit integer.
const MOST_DIGITS: i64 = 20;

/// The largest double below `i64::MIN`.
const BELOW_64_BITS: f64 = -9_223_372_036_854_777_856.0;

impl<'t> Decimal<'t> {
    /// Parses a text that consists of one JSON number. Returns `None` for any other text.
    pub(crate) fn parse(text: &'t str) -> Option<Self> {
        Self::at_start(text).filter(|decimal| decimal.len() == text.len())
    }

    /// Parses the JSON number at the start of the text. Returns `None` if the text does not start with a JSON number.
    pub(crate) fn at_start(text: &'t str) -> Option<Self> {
        let bytes = text.as_bytes();
        let digits = |start: usize| {
            let rest = bytes.get(start..).unwrap_or_default();
            start + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let start = usize::from(bytes.first() == Some(&b'-'));
        let point = if bytes.get(start) == Some(&b'0') { start + 1 } else { digits(start) };
        let (mut end, mut fraction, mut exponent) = (point, "", "");
        if bytes.get(end) == Some(&b'.') {
            end = digits(point + 1);
            fraction = text.get(point + 1..end).filter(|fraction| !fraction.is_empty())?;
        }
        if let Some(b'e' | b'E') = bytes.get(end) {
            let from = end + 1;
            let first = from + usize::from(matches!(bytes.get(from), Some(b'+' | b'-')));
            end = digits(first);
            exponent = text.get(from..end).filter(|_| end > first)?;
        }
        let integer = text.get(start..point).filter(|integer| !integer.is_empty())?;
        Some(Self { text: text.get(..end)?, integer, fraction, exponent })
    }

    /// Returns the length of the number in characters.
    pub(crate) fn len(self) -> usize {
        self.text.len()
    }

    /// Returns the number as a 64-bit integer. Returns `None` if it has a fraction or an exponent, exceeds 64 bits, or
    /// is `-0`.
    pub(crate) fn plain_integer(self) -> Option<Number> {
        if !self.fraction.is_empty() || !self.exponent.is_empty() || self.text == "-0" {
            return None;
        }
        let signed = self.text.parse::<i64>().map(Number::from);
        signed.or_else(|_| self.text.parse::<u64>().map(Number::from)).ok()
    }

    /// Returns the double that is nearest to the number. It is infinite if the number exceeds the range of doubles.
    pub(crate) fn to_f64(self) -> f64 {
        steps::count(self.len());
        self.text.parse().unwrap_or(f64::NAN)
    }

    /// Returns the number as an exact integer. The time is linear in the length of the number. See
    /// [`WrittenNumber::integer`].
    pub(crate) fn to_integer(self) -> Option<Number> {
        steps::count(self.len());
        // A number such as `1.0`.
        if self.exponent.is_empty()
            && self.fraction.bytes().all(|digit| digit == b'0')
            && let Ok(magnitude) = self.integer.parse::<i64>()
        {
            return Some(if self.is_negative() { -magnitude } else { magnitude }.into());
        }
        let Some((significant, zeros)) = self.significant() else { return Some(0.into()) };
        if zeros < 0 {
            return None;
        }
        if length(significant.clone().count()).saturating_add(zeros) > MOST_DIGITS {
            return Some(self.beyond_64_bits());
        }
        let significant = significant.map(|digit| i128::from(digit - b'0'));
        let zeros = std::iter::repeat_n(0, usize::try_from(zeros).unwrap_or_default());
        let magnitude = significant.chain(zeros).fold(0, |value, digit| value * 10 + digit);
        let value = if self.is_negative() { -magnitude } else { magnitude };
        let signed = i64::try_from(value).map(Number::from);
        let held = signed.or_else(|_| u64::try_from(value).map(Number::from));
        Some(held.unwrap_or_else(|_| self.beyond_64_bits()))
    }

    /// Returns `true` if both numbers have the same value, such as `1`, `1.0` and `10e-1`. The numbers are not rounded.
    pub(crate) fn equals(self, other: Self) -> bool {
        steps::count(self.len() + other.len());
        match (self.significant(), other.significant()) {
            (Some((left, left_zeros)), Some((right, right_zeros))) => {
                self.is_negative() == other.is_negative() && left_zeros == right_zeros && left.eq(right)
            }
            (left, right) => left.is_none() && right.is_none(),
        }
    }

    /// Returns the digits from the first to the last digit that is not 0, and the number of zeros after them. If the number of zeros is
    /// negative, some digits are after the decimal point. Returns `None` for 0.
    fn significant(self) -> Option<(impl Iterator<Item = u8> + Clone, i64)> {
        let digits = self.integer.bytes().chain(self.fraction.bytes());
        let leading_zeros = digits.clone().position(|digit| digit != b'0')?;
        let trailing_zeros = digits.clone().rev().take_while(|digit| *digit == b'0').count();
        let count = self.integer.len() + self.fraction.len() - leading_zeros - trailing_zeros;
        let zeros = self.exponent().saturating_add(length(trailing_zeros)).saturating_sub(length(self.fraction.len()));
        Some((digits.skip(leading_zeros).take(count), zeros))
    }

    fn beyond_64_bits(self) -> Number {
        let nearest = self.to_f64();
        if self.is_negative() { nearest.min(BELOW_64_BITS) } else { nearest }.into()
    }

    pub(crate) fn is_negative(self) -> bool {
        self.text.starts_with('-')
    }

    /// Returns the number without an exponent, such as `120` for `1.2e2`. Returns the number as it is written if the exponent is above
    /// 64, or below -64.
    pub(crate) fn without_exponent(self) -> String {
        let exponent = self.exponent();
        let (Ok(shift), true) = (usize::try_from(exponent.unsigned_abs()), (-64..=64).contains(&exponent)) else {
            return self.text.to_owned();
        };
        if self.exponent.is_empty() {
            return self.text.to_owned();
        }
        let zeros = "0".repeat(shift);
        // The digits, with enough zeros to move the point.
        let (digits, point) = match exponent < 0 {
            true => (format!("{zeros}{}{}", self.integer, self.fraction), self.integer.len()),
            false => (format!("{}{}{zeros}", self.integer, self.fraction), self.integer.len() + shift),
        };
        let (integer, fraction) = digits.split_at_checked(point).unwrap_or((&digits, ""));
        let integer = match integer.trim_start_matches('0') {
            "" => "0",
            integer => integer,
        };
        let fraction = if exponent < 0 { fraction } else { self.fraction.get(shift..).unwrap_or_default() };
        let sign = if self.is_negative() { "-" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{integer}{point}{fraction}")
    }

    fn exponent(self) -> i64 {
        let digits = self.exponent.strip_prefix(['+', '-']).unwrap_or(self.exponent);
        let magnitude = digits
            .bytes()
            .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0'))));
        if self.exponent.starts_with('-') { -magnitude } else { magnitude }
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl WrittenNumber {
    /// Converts a parsed [`Decimal`] to a [`WrittenNumber`]. Returns `None` if it exceeds the range of doubles.
    pub(crate) fn new(decimal: Decimal<'_>) -> Option<Self> {
        let value = Number::finite(decimal.to_f64())?;
        Some(Self { value, integer: decimal.to_integer() })
    }

    /// Returns the exact integer for an integer type, or the nearest double for any other type. Returns `None` for an
    /// integer type if the number has a fraction but the nearest double is an integer.
    #[inline]
    pub(crate) fn read_as(self, integers: bool) -> Option<Number> {
        if integers {
            self.integer.or_else(|| (!self.value.is_integer()).then_some(self.value))
        } else {
            Some(self.value)
        }
    }

    /// Returns the exact integer, or else the nearest double, for comparisons.
    pub(crate) fn exact(self) -> Number {
        self.integer.unwrap_or(self.value)
    }
}

/// Converts an exact [`Number`] to a `WrittenNumber`.
impl From<Number> for WrittenNumber {
    fn from(value: Number) -> Self {
        Self { value, integer: value.is_integer().then(|| value.normal()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_integers_by_their_digits() {
        let zeros = "0".repeat(1000);
        for (text, expected) in [
            ("0", Some("0")),
            ("-0", Some("0")),
            ("0.0e-400", Some("0")),
            ("0e99999999999999999999", Some("0")),
            ("1.0", Some("1")),
            ("-1.0", Some("-1")),
            ("-0.0", Some("0")),
            ("-20", Some("-20")),
            ("9223372036854775807.0", Some("9223372036854775807")),
            ("9223372036854775808.0", Some("9223372036854775808")),
            ("1.01", None),
            ("1e2", Some("100")),
            ("1.50E+1", Some("15")),
            ("1200e-2", Some("12")),
            ("9007199254740993.0", Some("9007199254740993")),
            ("9.007199254740993e15", Some("9007199254740993")),
            ("-9223372036854775808", Some("-9223372036854775808")),
            ("-9223372036854775808.000", Some("-9223372036854775808")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("0.99999999999999999999", None),
            ("1.00000000000000000000001", None),
            ("1e-400", None),
            ("15e-1", None),
            ("1e-99999999999999999999", None),
            (&format!("0.{zeros}1e1001"), Some("1")),
            (&format!("1{zeros}e-1000"), Some("1")),
            (&format!("1{zeros}e-1001"), None),
        ] {
            let integer = Decimal::parse(text).unwrap().to_integer();
            assert_eq!(integer.map(|integer| integer.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn keeps_integers_beyond_64_bits_out_of_range() {
        let integer = |text: &str| Decimal::parse(text).unwrap().to_integer().unwrap();
        for text in ["-9223372036854775809", "-9223372036854776832", "-9223372036854775808.1e1", "-1e19", "-1e400"] {
            assert!(integer(text) < Number::from(i64::MIN), "{text}");
        }
        for text in ["18446744073709551616", "18446744073709551615.0e1", "1e20", "1e99999999999999999999"] {
            assert!(integer(text) > Number::from(u64::MAX), "{text}");
        }
    }

    #[test]
    fn accepts_only_json_numbers() {
        for text in
            ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", "1.e4", "1e4.5", "0x1", "1_0", " 1", "NaN", "--1", "１"]
        {
            assert!(Decimal::parse(text).is_none(), "{text}");
        }
    }
}
