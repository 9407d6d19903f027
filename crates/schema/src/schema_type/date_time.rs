//! Date-times: `date-time` of RFC 3339, as far as an instant can hold it.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::date::{is_full_date, two_digits};
use super::text::{check_form, form_schema};
use super::{Scalar, ScalarRules};
use crate::pending_violation::ViolationSink;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DateTimeType;

impl ScalarRules for DateTimeType {
    fn name(&self) -> &'static str {
        "date-time"
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        check_form(value, "date-time", |text| is_date_time(text) && text.parse::<Timestamp>().is_ok(), sink);
    }

    fn schema(&self) -> Map<String, Value> {
        form_schema("date-time")
    }
}

/// The grammar of RFC 3339, section 5.6, with seconds up to 59, or 60 where UTC has its leap seconds.
fn is_date_time(text: &str) -> bool {
    let Some((date, [b'T' | b't', h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..])) =
        text.as_bytes().split_at_checked(10)
    else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (two_digits(*h1, *h2), two_digits(*m1, *m2), two_digits(*s1, *s2))
    else {
        return false;
    };
    let Some(offset) = after_fraction(rest).and_then(offset_minutes) else { return false };
    let minute_of_utc_day = (i16::from(hour) * 60 + i16::from(minute) - offset).rem_euclid(24 * 60);
    let seconds_in_minute = if minute_of_utc_day == 23 * 60 + 59 { 61 } else { 60 };
    is_full_date(date) && hour < 24 && minute < 60 && second < seconds_in_minute
}

fn after_fraction(rest: &[u8]) -> Option<&[u8]> {
    let Some(digits) = rest.strip_prefix(b".") else { return Some(rest) };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 { None } else { digits.get(count..) }
}

fn offset_minutes(offset: &[u8]) -> Option<i16> {
    match offset {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(*h1, *h2)?, two_digits(*m1, *m2)?);
            let offset = i16::from(hours) * 60 + i16::from(minutes);
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_that_of_rfc_3339() {
        for text in [
            "1985-04-12T23:20:50.52Z",
            "1996-12-19T16:39:57-08:00",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1937-01-01T12:00:27.87+00:20",
            "2024-02-29t00:00:00z",
            "2024-01-01T00:00:00.123456789Z",
            "2024-01-01T00:00:00-00:00",
        ] {
            assert!(is_date_time(text) && text.parse::<Timestamp>().is_ok(), "{text}");
        }
        for text in [
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T12:00:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+0100",
            "2024-01-01T00:00:00Z[UTC]",
            "2024-01-01T00:00:00 Z",
            "20240101T000000Z",
            "2023-02-29T00:00:00Z",
            "2024-01-0🦀T00:00:00Z",
        ] {
            assert!(!is_date_time(text), "{text}");
        }
    }
}
