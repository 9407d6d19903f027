//! Types of the standard library and of other crates. The JSON that serde writes matches the published schema, and
//! serde reads what the schema accepts.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZero;
use std::time::Duration;

use restwright_schema::{ReadError, Registry, Schema, SchemaSide, typed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::oracle::validator;

/// Writes the values and reads them again, and rejects the invalid strings, always like a JSON Schema validator.
/// Returns the published schema.
fn check<T>(values: impl IntoIterator<Item = T>, rejected: &[Value]) -> Value
where
    T: Schema + Serialize + DeserializeOwned + Debug + PartialEq,
{
    let mut registry = Registry::new();
    let property = typed::<T>(&mut registry, "value").into_property();
    let schema = registry.json_schema(property.schema(), SchemaSide::Input, None);
    let shape = registry.compile_property(&property, SchemaSide::Input, None);
    let validator = validator(&schema, registry.components());
    assert_eq!(registry.errors(), [""; 0]);
    for value in values {
        let written = serde_json::to_value(&value).unwrap();
        assert!(validator.is_valid(&written), "{written} does not fit {schema}");
        shape.check_value(&written, 100).unwrap_or_else(|error| panic!("{written}: {error}"));
        let read: T =
            shape.read(written.to_string().as_bytes(), 100).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(read, value);
    }
    for json in rejected {
        assert!(shape.read::<T>(json.to_string().as_bytes(), 100).is_err(), "{json} is rejected");
    }
    schema
}

#[test]
fn addresses() {
    let schema =
        check(["127.0.0.1", "2001:db8::1"].map(|text| text.parse::<IpAddr>().unwrap()), &[json!("a"), json!(1)]);
    assert_eq!(schema, json!({"type": "string", "format": "ip"}));
    check([Ipv4Addr::LOCALHOST, Ipv4Addr::BROADCAST], &[json!("::1")]);
    check([Ipv6Addr::LOCALHOST, Ipv6Addr::UNSPECIFIED], &[json!("127.0.0.1")]);
    let schema =
        check(["127.0.0.1:80", "[::1]:443"].map(|text| text.parse::<SocketAddr>().unwrap()), &[json!("127.0.0.1")]);
    assert_eq!(schema, json!({"type": "string", "format": "socket-address"}));
    check(["127.0.0.1:80".parse::<SocketAddrV4>().unwrap()], &[json!("[::1]:80")]);
    check(["[::1]:80".parse::<SocketAddrV6>().unwrap()], &[json!("127.0.0.1:80")]);
}

#[test]
fn integers_that_are_not_zero() {
    let schema = check([NonZero::<u8>::MIN, NonZero::<u8>::MAX], &[json!(0), json!(256), json!(0.0)]);
    assert_eq!(schema, json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 255}));
    let schema = check([-1, 1, i32::MIN].map(|value| NonZero::new(value).unwrap()), &[json!(0), json!(0.0)]);
    assert_eq!(schema["not"], json!({"const": 0}));
    check([NonZero::new(i64::MAX.unsigned_abs()).unwrap()], &[json!(0), json!(-1), json!(u64::MAX)]);
    check([NonZero::<i64>::MIN], &[json!(0)]);
    check([NonZero::<usize>::MIN], &[json!(0)]);
    check([NonZero::<i16>::MIN], &[json!(-0.0)]);
}

#[test]
fn lists_and_sets() {
    check([VecDeque::from([1_i32, 1, 2]), VecDeque::new()], &[json!(["1"])]);
    let schema = check([HashSet::from([1_i64, 2]), HashSet::new()], &[json!([1, 1.0])]);
    assert_eq!(schema["uniqueItems"], true);
    check([BTreeSet::from(["a".to_owned()])], &[json!(["a", "a"])]);
}

#[test]
fn durations() {
    let schema = check(
        [Duration::ZERO, Duration::from_millis(1500), Duration::from_secs(i64::MAX.unsigned_abs())],
        &[
            json!("PT1S"),
            json!({"secs": 1}),
            json!({"secs": 1, "nanos": 1_000_000_000}),
            json!({"secs": 1, "nanos": 0, "more": 1}),
        ],
    );
    assert_eq!(schema["properties"]["nanos"]["maximum"], 999_999_999);
}

#[test]
fn jiff_types() {
    use jiff::civil;
    check(
        ["1985-04-12T23:20:50.52Z".parse::<jiff::Timestamp>().unwrap(), jiff::Timestamp::MAX],
        &[json!("2024-01-01")],
    );
    check([civil::date(2024, 2, 29)], &[json!("2023-02-29")]);
    let at = civil::date(2024, 2, 29).at(12, 0, 0, 500_000_000);
    assert_eq!(check([at], &[json!("2024-02-29T12:00:00Z")])["format"], "date-time-local");
    assert_eq!(check([at.time(), civil::Time::MAX], &[json!("24:00:00"), json!("12")])["format"], "time-local");
    let durations = [0, 1, -1, 90_061, i64::MAX, i64::MIN].map(|seconds| jiff::SignedDuration::new(seconds, 0));
    check(durations, &[json!("P1D"), json!("PT"), json!("-PT"), json!("1h"), json!(1)]);
    check([jiff::SignedDuration::new(3600, 500_000_000), jiff::SignedDuration::new(0, -1)], &[]);
}

#[test]
fn chrono_types() {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
    let texts = [
        "1985-04-12T23:20:50.52Z",
        "1996-12-19T16:39:57-08:00",
        "2024-02-29t00:00:00z",
        "9999-12-31T23:59:59.999999999Z",
    ];
    check(texts.map(|text| text.parse::<DateTime<Utc>>().unwrap()), &[json!("2024-01-01 00:00:00Z")]);
    check(texts.map(|text| text.parse::<DateTime<FixedOffset>>().unwrap()), &[json!("2024-01-01T00:00:00")]);
    let date = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    check([date], &[json!("2023-02-29")]);
    let time = NaiveTime::from_hms_milli_opt(12, 0, 0, 500).unwrap();
    check([time, NaiveTime::MIN], &[json!("12:00:00Z")]);
    check([NaiveDateTime::new(date, time)], &[json!("2024-02-29T12:00:00Z")]);
}

/// Returns what serde writes for a string that is read as JSON and as a parameter, or the codes of the violations.
fn written<T: Schema + Serialize + DeserializeOwned>(text: &str) -> String {
    let mut registry = Registry::new();
    let property = typed::<T>(&mut registry, "value").into_property();
    let shape = registry.compile_property(&property, SchemaSide::Input, None);
    let parameter = shape.read_text::<T>(&[text.into()], 9).map_err(|found| found.to_string());
    let json = match shape.read::<T>(json!(text).to_string().as_bytes(), 9) {
        Ok(value) => Ok(value),
        Err(ReadError::Violations(found)) => Err(found.to_string()),
        Err(error) => panic!("{error}"),
    };
    let [json, parameter] = [json, parameter].map(|read| match read {
        Ok(value) => serde_json::to_value(value).unwrap().as_str().unwrap().to_owned(),
        Err(violations) => violations,
    });
    assert_eq!(json, parameter, "{text}");
    json
}

#[test]
fn times_have_bounds_and_no_leap_seconds() {
    use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Utc};
    use jiff::civil;

    let last = ": must be at most 9999-12-30T22:00:00.999999999Z (maximum)";
    let last_of_chrono = ": must be at most 9999-12-31T23:59:59.999999999Z (maximum)";
    let first = ": must be at least 0000-01-01T00:00:00Z (minimum)";
    let format = ": must have the format date-time, such as 2024-02-29T12:00:00Z (format)";
    for (text, of_jiff, of_chrono) in [
        ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
        ("9999-12-31T23:59:59Z", last, "9999-12-31T23:59:59Z"),
        ("9999-12-31T23:59:59-00:01", last, last_of_chrono),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00+00:01", first, first),
        ("1990-12-31T15:59:60-08:00", "1990-12-31T23:59:59Z", "1990-12-31T23:59:59Z"),
        ("1990-12-31T23:59:60.5Z", "1990-12-31T23:59:59.5Z", "1990-12-31T23:59:59.500Z"),
        ("1990-12-31T23:58:60Z", format, format),
        ("10000-01-01T00:00:00Z", format, format),
    ] {
        assert_eq!(written::<jiff::Timestamp>(text), of_jiff);
        assert_eq!(written::<DateTime<Utc>>(text), of_chrono);
    }
    assert_eq!(written::<DateTime<FixedOffset>>("1990-12-31T15:59:60-08:00"), "1990-12-31T15:59:59-08:00");
    // Dates and times without a zone contain the whole year 9999.
    for text in ["0000-01-01", "9999-12-31"] {
        assert_eq!((written::<civil::Date>(text), written::<NaiveDate>(text)), (text.to_owned(), text.to_owned()));
        let at = format!("{text}T23:59:59.999999999");
        assert_eq!((written::<civil::DateTime>(&at), written::<NaiveDateTime>(&at)), (at.clone(), at));
    }
}

/// Reads a string as JSON, as a JSON value and as a parameter. Returns what serde writes, which is the same each time.
fn read_string<T: Schema + Serialize + DeserializeOwned>(text: &str) -> Option<Value> {
    let mut registry = Registry::new();
    let property = typed::<T>(&mut registry, "value").into_property();
    let shape = registry.compile_property(&property, SchemaSide::Input, None);
    let written = |value: T| serde_json::to_value(value).unwrap();
    let json = shape.read::<T>(json!(text).to_string().as_bytes(), 1).ok().map(written);
    let normalised = shape.read_value(json!(text).to_string().as_bytes(), 1).ok();
    let parameter = shape.read_text::<T>(&[text.into()], 1).ok().map(written);
    assert_eq!((&normalised, &parameter), (&json, &json), "{text}");
    let schema = registry.json_schema(property.schema(), SchemaSide::Input, None);
    assert_eq!(validator(&schema, registry.components()).is_valid(&json!(text)), json.is_some(), "{text}: {schema}");
    json
}

#[test]
fn the_seconds_of_local_times_can_be_missing() {
    for (time, expected) in [
        ("12:30", Some("12:30:00")),
        ("00:00", Some("00:00:00")),
        ("23:59", Some("23:59:00")),
        ("12:30:05", Some("12:30:05")),
        ("24:00", None),
        ("12:60", None),
        ("1:30", None),
        ("12:3", None),
        ("12:30:", None),
        ("12:30:60", None),
        ("12:30Z", None),
        ("12.30", None),
        ("12", None),
        ("", None),
    ] {
        let expected = expected.map(Value::from);
        assert_eq!(read_string::<jiff::civil::Time>(time), expected, "{time}");
        assert_eq!(read_string::<chrono::NaiveTime>(time), expected, "{time}");
        let at = format!("2024-07-18T{time}");
        let expected = expected.map(|time| format!("2024-07-18T{}", time.as_str().unwrap()).into());
        assert_eq!(read_string::<jiff::civil::DateTime>(&at), expected, "{at}");
        assert_eq!(read_string::<chrono::NaiveDateTime>(&at), expected, "{at}");
    }
    for at in ["2024-07-18 11:00", "2024-13-18T11:00", "2024-07-32T11:00", "24-07-18T11:00", "11:00"] {
        assert_eq!(read_string::<jiff::civil::DateTime>(at), None, "{at}");
        assert_eq!(read_string::<chrono::NaiveDateTime>(at), None, "{at}");
    }
    // An instant needs its seconds.
    assert_eq!(read_string::<jiff::Timestamp>("2024-07-18T11:00Z"), None);
}

#[test]
fn time_types() {
    let date = time::Date::from_calendar_date(2024, time::Month::February, 29).unwrap();
    assert_eq!(check([date], &[json!("2023-02-29"), json!([2024, 60])])["format"], "date");
    let at = date.with_hms_nano(9, 5, 0, 120_000_000).unwrap();
    let offset = time::UtcOffset::from_hms(-8, -30, 0).unwrap();
    check(
        [at.assume_utc(), at.assume_offset(offset)],
        &[json!("2024-02-29T09:05:00Z"), json!("2024-13-29 09:05:00.0 +00:00:00")],
    );
}

#[test]
fn decimals() {
    use rust_decimal::Decimal;
    let schema = check(
        ["0", "19.90", "-0.0000000000000000000000000001", "9999999999999999999999999999", "-12.345"]
            .map(|text| text.parse::<Decimal>().unwrap()),
        &[
            json!("1e3"),
            json!(".5"),
            json!("1_000"),
            json!("0.00000000000000000000000000001"),
            json!("79228162514264337593543950335"),
            json!("007"),
            json!("1."),
            json!("+1"),
            json!(" 1"),
            json!("1234567890123456789012345678901234567890"),
            json!(1.5),
        ],
    );
    assert_eq!((&schema["type"], &schema["format"]), (&json!("string"), &json!("decimal")));
}

#[test]
fn urls() {
    use url::Url;
    let texts = ["https://example.com/a?b=c#d", "mailto:a@b.example", "ftp://user@example.com:2121/%20"];
    let rejected =
        [json!("/a"), json!("http://"), json!("http://a b"), json!("http://a/|"), json!("http://[1]/"), json!("a")];
    assert_eq!(check(texts.map(|text| text.parse::<Url>().unwrap()), &rejected)["format"], "uri");
}
