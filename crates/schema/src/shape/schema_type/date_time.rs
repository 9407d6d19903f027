//! Defines the date-time types. They are `date-time` of RFC 3339, up to the last time of a Rust type, and local date-times
//! without an offset.

use serde_json::{Map, Value};

use super::date::{is_full_date, two_digits};
use super::string::bad_format;
use super::text::form_schema;
use super::{Scalar, ScalarRules};
use crate::code::Code;
#[cfg(any(feature = "chrono", feature = "jiff"))]
use crate::format::AbridgedFormat;
use crate::pending_violation::{PendingViolation, ViolationSink};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DateTimeType {
    last: Last,
}

/// The last time of a Rust type.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Last {
    /// The last time of `jiff::Timestamp`. In other time zones, times are up to 26 hours later.
    Instant,
    /// The last time that RFC 3339 can express in UTC.
    #[cfg(feature = "chrono")]
    Year9999,
}

impl DateTimeType {
    /// The times that `jiff::Timestamp` can contain.
    pub(in crate::shape) const INSTANT: Self = Self { last: Last::Instant };
    /// The times from the year 0 to the year 9999 in UTC.
    #[cfg(feature = "chrono")]
    pub(crate) const YEARS: Self = Self { last: Last::Year9999 };
}

impl Last {
    fn text(self) -> &'static str {
        match self {
            Self::Instant => "9999-12-30T22:00:00.999999999Z",
            #[cfg(feature = "chrono")]
            Self::Year9999 => "9999-12-31T23:59:59.999999999Z",
        }
    }

    /// Returns the minutes since `9999-12-30T00:00Z`, and the second.
    fn second(self) -> (i32, u8) {
        match self {
            Self::Instant => (22 * 60, 0),
            #[cfg(feature = "chrono")]
            Self::Year9999 => (2 * MINUTES_OF_DAY - 1, 59),
        }
    }
}

impl ScalarRules for DateTimeType {
    fn name(&self) -> &'static str {
        "date-time"
    }

    #[inline]
    fn check<S: ViolationSink>(&self, value: Scalar<'_>, sink: &mut S) {
        let text = match value {
            Scalar::Text(text) => text,
            other => return sink.report(|| PendingViolation::wrong_type("string", other.type_name())),
        };
        match Instant::parse(text) {
            None => sink.report(|| bad_format("date-time")),
            Some(instant) if instant.is_before_year_0() => sink.report(|| {
                PendingViolation::new(Code::MINIMUM, format!("must be at least {FIRST}")).param("minimum", FIRST)
            }),
            Some(instant) if instant.is_after(self.last) => sink.report(|| {
                let last = self.last.text();
                PendingViolation::new(Code::MAXIMUM, format!("must be at most {last}")).param("maximum", last)
            }),
            Some(_) => {}
        }
    }

    fn schema(&self) -> Map<String, Value> {
        form_schema("date-time")
    }
}

const FIRST: &str = "0000-01-01T00:00:00Z";

/// A `date-time` (RFC 3339, section 5.6).
struct Instant<'t> {
    /// The date at the offset of the string.
    date: &'t [u8],
    /// The minutes between the beginning of the date in UTC and the instant.
    minute: i32,
    second: u8,
}

impl<'t> Instant<'t> {
    /// Returns `None` if the string is not a `date-time`. The second 60 is accepted only in the minute 23:59 UTC, which may
    /// have a leap second.
    fn parse(text: &'t str) -> Option<Self> {
        let (date, [b'T' | b't', time @ ..]) = text.as_bytes().split_at_checked(10)? else { return None };
        let (time, rest) = Time::parse(time)?;
        let minute = time.minute_of_day() - offset_minutes(rest)?;
        let seconds_in_minute = if minute.rem_euclid(MINUTES_OF_DAY) == 23 * 60 + 59 { 61 } else { 60 };
        let instant = Self { date, minute, second: time.second };
        (is_full_date(date) && time.second < seconds_in_minute).then_some(instant)
    }

    fn is_before_year_0(&self) -> bool {
        self.minute < 0 && self.date == b"0000-01-01"
    }

    fn is_after(&self, last: Last) -> bool {
        let [b'9', b'9', b'9', b'9', b'-', b'1', b'2', b'-', tens, ones] = self.date else { return false };
        let days = two_digits(*tens, *ones).map_or(0, |day| i32::from(day) - 30);
        (days * MINUTES_OF_DAY + self.minute, self.second) > last.second()
    }
}

/// Returns a valid date-time with the second 59 instead of a leap second, or `None` if it has none. The types read a leap
/// second in different ways.
pub(in crate::shape) fn without_leap_second(text: &str) -> Option<String> {
    let (before, after) = text.split_at_checked("2016-12-31T23:59:".len())?;
    after.strip_prefix("60").map(|rest| format!("{before}59{rest}"))
}

/// Returns `true` if the string is a date-time without an offset, such as `2024-02-29T12:00:00`. The seconds can be
/// missing: browsers send the shortest form of an input `datetime-local` (HTML Living Standard, section 2.3.5.5).
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn is_local_date_time(text: &str) -> bool {
    match text.as_bytes().split_at_checked(10) {
        Some((date, [b'T', time @ ..])) => is_full_date(date) && std::str::from_utf8(time).is_ok_and(is_local_time),
        _ => false,
    }
}

/// Returns `true` if the string is a time such as `12:00:00`, with at most nine fractional digits. The seconds can be
/// missing.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn is_local_time(text: &str) -> bool {
    if let [h1, h2, b':', m1, m2] = text.as_bytes() {
        let is_below = |number: Option<u8>, end| number.is_some_and(|number| number < end);
        return is_below(two_digits(*h1, *h2), 24) && is_below(two_digits(*m1, *m2), 60);
    }
    Time::parse(text.as_bytes()).is_some_and(|(time, rest)| rest.is_empty() && time.second < 60)
}

/// Returns a valid local time or date-time with seconds, or `None` if it has seconds. Not every type reads it without.
#[cfg(any(feature = "chrono", feature = "jiff"))]
fn with_seconds(text: &str) -> Option<String> {
    let is_short = text.len() == "12:00".len() || text.len() == "2024-02-29T12:00".len();
    is_short.then(|| format!("{text}:00"))
}

/// A time of day, whose seconds can be missing.
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) static LOCAL_TIME: AbridgedFormat = AbridgedFormat {
    name: "time-local",
    holds: is_local_time,
    completed: with_seconds,
    pattern: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?$",
};

/// A date-time without an offset, whose seconds can be missing.
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) static LOCAL_DATE_TIME: AbridgedFormat = AbridgedFormat {
    name: "date-time-local",
    holds: is_local_date_time,
    completed: with_seconds,
    pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T\
              ([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?$",
};

const MINUTES_OF_DAY: i32 = 24 * 60;

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
    use crate::path::Path;
    use crate::pending_violation::SinkAt;
    use crate::violation::Violations;

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
        ] {
            assert!(Instant::parse(text).is_some(), "{text}");
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
            assert!(Instant::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn times_outside_of_the_range_of_a_type_are_violations_of_the_bound() {
        #[cfg(feature = "chrono")]
        let kinds = [DateTimeType::INSTANT, DateTimeType::YEARS];
        #[cfg(not(feature = "chrono"))]
        let kinds = [DateTimeType::INSTANT];
        // A time, and its violations as an instant and with all years.
        for (text, expected) in [
            ("0000-01-01T00:00:00Z", ["", ""]),
            ("0000-01-01T00:00:00-23:59", ["", ""]),
            ("0000-01-01T00:00:00+00:01", ["minimum", "minimum"]),
            ("9999-12-30T22:00:00.999999999Z", ["", ""]),
            ("9999-12-30T23:59:59.9+02:00", ["", ""]),
            ("9999-12-31T21:59:00+23:59", ["", ""]),
            ("9999-12-30T22:00:01Z", ["maximum", ""]),
            ("9999-12-31T00:00:00Z", ["maximum", ""]),
            ("9999-12-29T23:59:00-23:59", ["maximum", ""]),
            ("9999-12-31T23:59:59.999999999Z", ["maximum", ""]),
            ("9999-12-31T23:59:60Z", ["maximum", "maximum"]),
            ("9999-12-31T23:59:59-00:01", ["maximum", "maximum"]),
        ] {
            for (kind, expected) in kinds.iter().zip(expected) {
                let mut violations = Violations::with_limit(9);
                kind.check(Scalar::Text(text), &mut SinkAt { path: &Path::Root, violations: &mut violations });
                let codes: Vec<_> = violations.iter().map(|one| one.code.to_string()).collect();
                assert_eq!(codes.join(" "), expected, "{text} {kind:?}");
            }
            #[cfg(feature = "jiff")]
            assert!(text.parse::<jiff::Timestamp>().is_ok() || expected[0] == "maximum", "{text}");
        }
        let mut violations = Violations::with_limit(9);
        let mut sink = SinkAt { path: &Path::Root, violations: &mut violations };
        DateTimeType::INSTANT.check(Scalar::Text("9999-12-31T23:59:59Z"), &mut sink);
        assert_eq!(violations.to_string(), ": must be at most 9999-12-30T22:00:00.999999999Z (maximum)");
    }

    #[test]
    fn a_leap_second_is_the_second_before() {
        for (text, expected) in [
            ("1990-12-31T23:59:60Z", Some("1990-12-31T23:59:59Z")),
            ("1990-12-31T15:59:60.5-08:00", Some("1990-12-31T15:59:59.5-08:00")),
            ("1990-12-31T23:59:59Z", None),
            ("1990-12-31T23:59", None),
            ("1990-12-31T23:59\u{e9}60Z", None),
        ] {
            assert_eq!(without_leap_second(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    #[cfg(any(feature = "chrono", feature = "jiff"))]
    fn local_date_times_have_no_offset() {
        for text in
            ["2024-02-29T12:00:00", "0000-01-01T00:00:00.5", "9999-12-31T23:59:59.999999999", "2024-02-29T12:00"]
        {
            assert!(is_local_date_time(text), "{text}");
        }
        for text in [
            "2024-02-29T12:00:00Z",
            "2024-02-29 12:00:00",
            "2024-02-29T12",
            "2024-02-29T12:00:",
            "2024-02-29T24:00",
            "2024-02-29T12:60",
            "2024-02-29T1:00",
            "2024-02-29T12:00Z",
            "2023-02-29T12:00",
            "2023-02-29T12:00:00",
            "2024-02-29T12:00:60",
        ] {
            assert!(!is_local_date_time(text), "{text}");
        }
    }
}
