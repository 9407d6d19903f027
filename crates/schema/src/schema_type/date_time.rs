//! Defines the date-time types. They are `date-time` of RFC 3339 up to `9999-12-30T22:00:00Z`, and local date-times
//! without an offset.

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
        check_form(value, "date-time", is_date_time, sink);
    }

    fn schema(&self) -> Map<String, Value> {
        form_schema("date-time")
    }
}

/// Returns `true` if the string is a `date-time` (RFC 3339, section 5.6). The second 60 is accepted only in the minute
/// 23:59 UTC, which may have a leap second.
pub(crate) fn is_date_time(text: &str) -> bool {
    let Some((date, [b'T' | b't', time @ ..])) = text.as_bytes().split_at_checked(10) else { return false };
    let Some((time, rest)) = Time::parse(time) else { return false };
    let Some(offset) = offset_minutes(rest) else { return false };
    let minute = time.minute_of_day() - offset;
    let seconds_in_minute = if minute.rem_euclid(MINUTES_OF_DAY) == 23 * 60 + 59 { 61 } else { 60 };
    is_full_date(date) && time.second < seconds_in_minute && !is_beyond_instants(date, minute, time.second)
}

/// Returns `true` if the string is a date-time without an offset, such as `2024-02-29T12:00:00`.
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) fn is_local_date_time(text: &str) -> bool {
    match text.as_bytes().split_at_checked(10) {
        Some((date, [b'T', time @ ..])) => is_full_date(date) && std::str::from_utf8(time).is_ok_and(is_local_time),
        _ => false,
    }
}

/// Returns `true` if the string is a time such as `12:00:00`, with at most nine fractional digits.
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) fn is_local_time(text: &str) -> bool {
    Time::parse(text.as_bytes()).is_some_and(|(time, rest)| rest.is_empty() && time.second < 60)
}

const MINUTES_OF_DAY: i32 = 24 * 60;

/// Returns `true` if a time in UTC is after `9999-12-30T22:00:00Z`, the last second of `jiff::Timestamp`.
fn is_beyond_instants(date: &[u8], minute: i32, second: u8) -> bool {
    let [b'9', b'9', b'9', b'9', b'-', b'1', b'2', b'-', tens, ones] = date else { return false };
    let days = two_digits(*tens, *ones).map_or(0, |day| i32::from(day) - 30);
    (days * MINUTES_OF_DAY + minute, second) > (22 * 60, 0)
}

struct Time {
    hour: u8,
    minute: u8,
    second: u8,
}

impl Time {
    /// Parses `partial-time` of RFC 3339, with at most nine fractional digits. Returns the time and the rest of the
    /// text.
    fn parse(text: &[u8]) -> Option<(Self, &[u8])> {
        let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else { return None };
        let time = Self { hour: two_digits(*h1, *h2)?, minute: two_digits(*m1, *m2)?, second: two_digits(*s1, *s2)? };
        let rest = after_fraction(rest)?;
        (time.hour < 24 && time.minute < 60).then_some((time, rest))
    }

    fn minute_of_day(&self) -> i32 {
        i32::from(self.hour) * 60 + i32::from(self.minute)
    }
}

fn after_fraction(rest: &[u8]) -> Option<&[u8]> {
    let Some(digits) = rest.strip_prefix(b".") else { return Some(rest) };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=9).contains(&count) { digits.get(count..) } else { None }
}

fn offset_minutes(offset: &[u8]) -> Option<i32> {
    match offset {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(*h1, *h2)?, two_digits(*m1, *m2)?);
            let offset = i32::from(hours) * 60 + i32::from(minutes);
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_grammar_of_rfc_3339() {
        for text in [
            "1985-04-12T23:20:50.52Z",
            "1996-12-19T16:39:57-08:00",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1937-01-01T12:00:27.87+00:20",
            "2024-02-29t00:00:00z",
            "2024-01-01T00:00:00.123456789Z",
            "2024-01-01T00:00:00-00:00",
            "0000-01-01T00:00:00+23:59",
            "9999-12-30T22:00:00.999999999Z",
            "9999-12-30T23:59:59.9+02:00",
            "9999-12-31T21:59:00+23:59",
        ] {
            assert!(is_date_time(text), "{text}");
            #[cfg(feature = "jiff")]
            assert!(text.parse::<jiff::Timestamp>().is_ok(), "{text}");
        }
        for text in [
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T12:00:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
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
        for text in ["9999-12-30T22:00:01Z", "9999-12-31T00:00:00Z", "9999-12-29T23:59:00-23:59"] {
            assert!(!is_date_time(text), "{text}");
            #[cfg(feature = "jiff")]
            assert!(text.parse::<jiff::Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    #[cfg(any(feature = "chrono", feature = "jiff"))]
    fn local_date_times_have_no_offset() {
        for text in ["2024-02-29T12:00:00", "0000-01-01T00:00:00.5", "9999-12-31T23:59:59.999999999"] {
            assert!(is_local_date_time(text), "{text}");
        }
        for text in [
            "2024-02-29T12:00:00Z",
            "2024-02-29 12:00:00",
            "2024-02-29T12:00",
            "2023-02-29T12:00:00",
            "2024-02-29T12:00:60",
        ] {
            assert!(!is_local_date_time(text), "{text}");
        }
    }
}
