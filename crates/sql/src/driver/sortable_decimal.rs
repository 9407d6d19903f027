//! Decimals as strings that sort by value, for databases without an exact number type.
//!
//! A string has 59 characters: a 0, 29 digits, a point and 28 digits. A negative number has a `-` in place of the first 0, and each
//! other digit is replaced with 9 minus the digit. Each number has exactly one string, so strings are equal if numbers are equal.

use rust_decimal::Decimal;

/// The number of digits after the point.
const SCALE: usize = 28;

/// The number of digits before the point, without the sign. `Decimal::MAX` has this many.
const INTEGER: usize = 29;

/// Returns the string of a decimal.
pub(crate) fn write(value: Decimal) -> String {
    let value = value.normalize();
    let text = value.abs().to_string();
    let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let text = format!("0{integer:0>INTEGER$}.{fraction:0<SCALE$}");
    if value.is_sign_negative() { complement(&text, '-') } else { text }
}

/// Returns the decimal of a string. Returns `None` for any string that [`write`] does not return.
pub(crate) fn read(text: &str) -> Option<Decimal> {
    let digits = if text.starts_with('-') { complement(text, '-') } else { text.to_owned() };
    let significant = digits.get(1..)?.trim_start_matches('0').trim_end_matches('0');
    let (integer, fraction) = significant.split_once('.')?;
    let sign = if text.starts_with('-') { "-" } else { "" };
    let zero = if integer.is_empty() { "0" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    let value = Decimal::from_str_exact(&format!("{sign}{zero}{integer}{point}{fraction}")).ok()?;
    (write(value) == text).then_some(value)
}

/// Replaces the first character, and each other digit with 9 minus the digit.
fn complement(text: &str, first: char) -> String {
    let rest = text.chars().skip(1).map(|digit| match digit.to_digit(10) {
        Some(digit) => char::from_digit(9 - digit, 10).unwrap_or('0'),
        None => digit,
    });
    std::iter::once(first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimals() -> impl Strategy<Value = Decimal> {
        let any = (any::<i128>(), 0..=28_u32)
            .prop_map(|(mantissa, scale)| Decimal::from_i128_with_scale(mantissa >> 32 >> scale, scale));
        let edges = prop::sample::select(vec![
            Decimal::ZERO,
            Decimal::MAX,
            Decimal::MIN,
            Decimal::new(1, 28),
            Decimal::new(-1, 28),
        ]);
        let near = (-2000..2000_i64, 0..4_u32).prop_map(|(mantissa, scale)| Decimal::new(mantissa, scale));
        prop_oneof![any, near, edges]
    }

    proptest! {
        #[test]
        fn strings_sort_like_numbers(left in decimals(), right in decimals()) {
            prop_assert_eq!(write(left).as_bytes().cmp(write(right).as_bytes()), left.cmp(&right));
            prop_assert_eq!(read(&write(left)), Some(left));
            prop_assert_eq!(write(left).len(), 59);
        }
    }

    #[test]
    fn pads_and_complements_digits() {
        for (number, expected) in [
            ("12.50", "000000000000000000000000000012.5000000000000000000000000000"),
            ("-12.5", "-99999999999999999999999999987.4999999999999999999999999999"),
            ("-0", "000000000000000000000000000000.0000000000000000000000000000"),
        ] {
            assert_eq!(write(number.parse().unwrap()), expected);
        }
    }

    #[test]
    fn rejects_other_strings() {
        for text in [
            "",
            "12.50",
            "ä",
            "-",
            "000000000000000000000000000012.5",
            "-99999999999999999999999999999.9999999999999999999999999999",
            "099999999999999999999999999999.0000000000000000000000000000",
            "00000000000000000000000000001x.5000000000000000000000000000",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
