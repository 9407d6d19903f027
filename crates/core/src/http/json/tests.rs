use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::raw_members::RawMembers;

/// Checks that both serializers produce the same JSON, or both fail. Checks the members of the JSON, too.
fn check(value: &impl Serialize) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let ours = to_json(value, None).map(|bytes| text(&bytes)).map_err(|error| error.to_string());
    let expected = serde_json::to_string(value).map_err(|error| error.to_string());
    assert_eq!(ours, expected);
    let members = Members::of(value);
    assert_eq!(members.is_ok(), expected.is_ok());
    if let (Ok(members), Ok(json)) = (members, expected) {
        assert_eq!(text(members.json()), json);
        check_members(&members, &json);
        check_members(&Members::unread(value).unwrap(), &json);
        assert_eq!(text(&to_data_json(value).unwrap()), format!("{{\"data\":{json}}}"));
    }
}

/// Compares the members with the parsed JSON, and with JSON that is written from some of the parsed members.
fn check_members(written: &Members, json: &str) {
    let mut members = written.clone();
    let parsed = serde_json::from_str::<RawMembers<'_>>(json).map(|RawMembers(members)| members);
    let is_object = parsed.is_ok();
    let parsed = parsed.unwrap_or_default();
    let listed = members.list().ok();
    assert_eq!(listed.is_some(), is_object, "{json}");
    let listed = listed.unwrap_or_default();
    let listed = listed.iter().map(|(name, value)| (name, *value));
    assert!(listed.eq(parsed.iter().map(|(name, value)| (name, value.get().as_bytes()))), "{json}");
    for kept in [usize::MAX, 0b0101, 0b0110, 0b1000, 0] {
        let mut members = written.clone();
        let is_kept = |index: usize| kept >> index.min(63) & 1 == 1;
        let mut names = Vec::new();
        let keep = |name: &str| {
            names.push(name.to_owned());
            is_kept(names.len() - 1)
        };
        members.retain(keep).unwrap();
        assert!(names.iter().eq(parsed.iter().map(|(name, _)| name)), "{json}");
        for (name, value) in [("add\"ed", "[1.0]"), ("last", "{}")] {
            members.push(name, value);
            let added = members.list().ok().map(|mut listed| listed.pop());
            assert_eq!(added, is_object.then_some(Some((name.into(), value.as_bytes()))), "{json}");
        }
        let kept = parsed.iter().enumerate().filter(|(index, _)| is_kept(*index));
        let kept = kept.map(|(_, (name, value))| format!("{}:{value},", serde_json::to_string(name).unwrap()));
        let changed = format!(r#"{{{}"add\"ed":[1.0],"last":{{}}}}"#, kept.collect::<String>());
        assert_eq!(str::from_utf8(members.json()).unwrap(), if is_object { &changed } else { json });
    }
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct Newtype(u8);

#[derive(Serialize)]
struct Pair(Option<i8>, char);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
enum Plain {
    One,
    #[serde(rename = "\"two\"")]
    Two,
}

#[derive(Serialize)]
enum Variants {
    Unit,
    Newtype(Newtype),
    Tuple(u16, &'static str),
    #[serde(rename = "\\struct\n")]
    Struct {
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<u32>,
        #[serde(rename = "sec\"ond")]
        second: f32,
    },
    Empty {},
}

#[derive(Serialize)]
struct Fields<'f> {
    text: &'f str,
    #[serde(rename = "ä")]
    number: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<Box<Fields<'f>>>,
    nothing: (),
    tuple: (Unit, Newtype, Pair),
    variants: Vec<Variants>,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[test]
fn writes_the_same_json_as_serde_json() {
    for text in
        ["", "a", "Pet 21", "\"", "a\\b", "\u{0}\u{1f} \u{7f}", "line\nline\ttab\u{8}\u{c}\r", "äöü 😀 \u{2028}"]
    {
        check(&text);
        check(&text.repeat(50));
        check(&BTreeMap::from([(text, text), ("z", text)]));
        let fields = |option| Fields {
            text,
            number: -0.0,
            option,
            nothing: (),
            tuple: (Unit, Newtype(7), Pair(None, '"')),
            variants: Vec::new(),
            others: BTreeMap::from([
                (text.to_owned(), json!({})),
                ("b".to_owned(), json!([[], {}, [null, {"x": [1]}]])),
            ]),
        };
        check(&fields(None));
        check(&[fields(Some(fields(None).into())), fields(None)]);
    }
    check(&vec![
        Variants::Unit,
        Variants::Newtype(Newtype(0)),
        Variants::Tuple(65535, "a\"b"),
        Variants::Struct { first: None, second: 0.1 },
        Variants::Struct { first: Some(1), second: f32::MAX },
        Variants::Empty {},
    ]);
    check(&(Plain::One, Plain::Two, 'x', Some(Some(1)), None::<u8>, Unit, ((), [(); 2], [0; 0])));
    check(&(i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN, u8::MAX, u16::MAX, u32::MAX, u64::MAX, u128::MAX));
    check(&(f64::NAN, f64::INFINITY, f32::NEG_INFINITY, f64::MIN_POSITIVE, 1e300, 1.0, 0.1_f32 + 0.2_f32, true, false));
    check(&json!({"a": [1, -2, 3.5, "x\"", null, true, {"b": {}}], "\"": {}}));
    check(&format_args!("{}\"{}", 1, "\n"));
}

#[test]
fn writes_the_same_keys_as_serde_json() {
    check(&BTreeMap::from([(1_u8, 1), (2, 2)]));
    check(&BTreeMap::from([(i128::MIN, ())]));
    check(&BTreeMap::from([(false, ()), (true, ())]));
    check(&BTreeMap::from([('a', ()), ('"', ())]));
    check(&BTreeMap::from([(Plain::One, vec![1]), (Plain::Two, Vec::new())]));
    check(&HashMap::from([(Some("a"), Unit)]));
    check(&HashMap::<String, u8>::new());
    // These types are not valid keys.
    check(&BTreeMap::from([((1, 2), 3)]));
    check(&BTreeMap::from([(vec![1], 3)]));
    check(&vec![BTreeMap::from([((), 3)])]);
}

#[test]
fn writes_raw_values_as_they_are() {
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    let several = [raw(r#"{"a":1.0}"#), raw("[]"), raw("\"\"")];
    assert_eq!(to_json(&several, None).unwrap(), br#"[{"a":1.0},[],""]"#);
    check(&several);
    check(&BTreeMap::from([("first", raw("1e400")), ("second", raw("null"))]));
}

#[test]
fn writes_private_structs_of_other_crates_as_objects() {
    // Such as the date and time of the crate `toml`.
    #[derive(Serialize)]
    #[serde(rename = "$__private_date")]
    struct Date {
        #[serde(rename = "$__private_date")]
        text: &'static str,
    }
    check(&[Date { text: "1979-05-27" }]);
}

#[test]
fn writes_strings_of_every_length() {
    for length in [0, 1, 120, 126, 127, 255, 256, BUFFERED - 2, BUFFERED - 1, 3 * BUFFERED, 5] {
        check(&"x".repeat(length));
        check(&vec!["x\""; length / 8]);
    }
}

#[test]
fn nested_writers_do_not_share_a_buffer() {
    struct Outer;
    impl Serialize for Outer {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let inner = to_json(&[1, 2], None).map_err(serde::ser::Error::custom)?;
            serializer.serialize_str(&String::from_utf8_lossy(&inner))
        }
    }
    assert_eq!(to_json(&(Outer, Outer), None).unwrap(), br#"["[1,2]","[1,2]"]"#);
}

#[test]
fn members_that_serde_does_not_see_are_parsed() {
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    for json in [
        r#"{"a":1.0,"b":{"a":[12345678901234567890123]}}"#,
        r#"{"\u0061":1e400,"b":"\u0061","a":null}"#,
        "{ \"a\" : 1 ,\n\"b\\\\\": [ 1, 2 ] }",
        "{ }",
        "{}",
        "[{\"a\":1}]",
        "7",
    ] {
        check_members(&Members::of(&raw(json)).unwrap(), json);
        check_members(&Members::of(&Some(Box::new(raw(json)))).unwrap(), json);
    }
    // Without a removed member, the JSON stays as it is.
    let mut members = Members::of(&raw("{ \"a\" : 1 }")).unwrap();
    members.push("b", "2");
    assert_eq!(members.json(), b"{ \"a\" : 1 ,\"b\":2}");
    assert_eq!(members.list().unwrap(), [("a".into(), &b"1"[..]), ("b".into(), &b"2"[..])]);
    let mut empty = Members::of(&raw("{ }")).unwrap();
    empty.push("b", "2");
    assert_eq!(empty.json(), b"{ \"b\":2}");
}

#[test]
fn repeated_members_are_kept_or_removed_together() {
    #[derive(Serialize)]
    struct Repeated {
        a: u8,
        #[serde(flatten)]
        others: BTreeMap<String, u8>,
    }
    let repeated = Repeated { a: 1, others: BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 3)]) };
    check(&repeated);
    let mut members = Members::of(&repeated).unwrap();
    assert_eq!(members.json(), br#"{"a":1,"a":2,"b":3}"#);
    members.retain(|name| name != "a").unwrap();
    assert_eq!(members.json(), br#"{"b":3}"#);
}

#[test]
fn written_members_are_written_as_they_are() {
    for value in [json!({"a": [1.5, "\""], "b": {}}), json!([1]), json!(null), json!({})] {
        let written = || Members::of(&value).unwrap();
        let expected = serde_json::to_string(&json!([{"data": [value, value]}])).unwrap();
        let found = to_json(&[BTreeMap::from([("data", [written(), written()])])], None).unwrap();
        assert_eq!(found, expected.as_bytes());
    }
}

#[test]
fn writes_bytes_as_numbers() {
    struct Slice(&'static [u8]);
    impl Serialize for Slice {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    check(&[Slice(b"\0\xff"), Slice(b"")]);
    check(&BTreeMap::from([("bytes", Slice(b"7"))]));
}
