use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;

/// Checks that both serializers produce the same JSON, or both fail.
fn check(value: &impl Serialize) {
    let ours =
        to_json(value).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap()).map_err(|error| error.to_string());
    assert_eq!(ours, serde_json::to_string(value).map_err(|error| error.to_string()));
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
    assert_eq!(to_json(&several).unwrap(), r#"[{"a":1.0},[],""]"#);
    check(&several);
    check(&BTreeMap::from([("first", raw("1e400")), ("second", raw("null"))]));
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
            let inner = to_json(&[1, 2]).map_err(serde::ser::Error::custom)?;
            serializer.serialize_str(&String::from_utf8_lossy(&inner))
        }
    }
    assert_eq!(to_json(&(Outer, Outer)).unwrap(), r#"["[1,2]","[1,2]"]"#);
}
