//! Defines the date type, which is `full-date` of RFC 3339.

use serde_json::{Map, Value};

use super::text::{check_form, form_schema};
use super::{Scalar, ScalarRules};
use crate::pending_violation::ViolationSink;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DateType;

impl ScalarRules for DateType {
    fn name(&self) -> &'static str {
        "date"
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        check_form(value, "date", |text| is_full_date(text.as_bytes()), sink);
    }

    fn schema(&self) -> Map<String, Value> {
        form_schema("date")
    }
}

/// Returns `true` if the string has the form `YYYY-MM-DD` and the day exists in the proleptic Gregorian calendar.
pub(in crate::shape) fn is_full_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return false };
    let (Some(century), Some(year_of_century)) = (two_digits(*y1, *y2), two_digits(*y3, *y4)) else { return false };
    let (Some(month), Some(day)) = (two_digits(*m1, *m2), two_digits(*d1, *d2)) else { return false };
    let year = u16::from(century) * 100 + u16::from(year_of_century);
    (1..=days_in(year, month)).contains(&day)
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

pub(in crate::shape) fn two_digits(tens: u8, ones: u8) -> Option<u8> {
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| (tens - b'0') * 10 + (ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31", "2023-04-30"] {
            assert!(is_full_date(text.as_bytes()), "{text}");
        }
        for text in
            ["2023-02-29", "1900-02-29", "2023-04-31", "2023-00-01", "2023-13-01", "2023-01-00", "23-01-01", "2023-1-1"]
        {
            assert!(!is_full_date(text.as_bytes()), "{text}");
        }
        for text in ["2023-01-01T", " 2023-01-01", "2023/01/01", "+2023-01-01", "２０２３-01-01", ""] {
            assert!(!is_full_date(text.as_bytes()), "{text}");
        }
    }
}
