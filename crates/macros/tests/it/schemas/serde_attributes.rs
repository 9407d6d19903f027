use restwright::schema::SchemaSide;
use restwright::{Patch, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{published, read, start_errors};

fn five() -> u8 {
    5
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", expecting = "a thing")]
struct Thing {
    two_words: i32,
    #[serde(rename = "renamed", alias = "old_name", alias = "older")]
    other: i32,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    faces: i32,
    #[serde(rename(serialize = "only_out"))]
    half: i32,
    #[serde(default = "five", skip_serializing_if = "is_five")]
    with_default: u8,
    #[serde(skip)]
    hidden: std::cell::Cell<i32>,
    #[serde(skip_serializing, default)]
    secret: Option<String>,
    #[serde(flatten)]
    address: Address,
    r#type: bool,
}

fn is_five(value: &u8) -> bool {
    *value == 5
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
struct Address {
    #[property(pattern = "^[0-9]{5}$")]
    zip_code: String,
}

fn names(value: &serde_json::Value) -> Vec<&str> {
    value["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn names_and_faces() {
    let input = published::<Thing>(SchemaSide::Input);
    let output = published::<Thing>(SchemaSide::Output);
    let common = |own: &[&'static str]| {
        let mut names = vec!["renamed", "twoWords", "type", "withDefault", "zip_code"];
        names.extend(own);
        names.sort_unstable();
        names
    };
    let mut found = names(&input["ThingInput"]);
    found.sort_unstable();
    assert_eq!(found, common(&["half", "in", "old_name", "older", "secret"]));
    let mut found = names(&output["Thing"]);
    found.sort_unstable();
    assert_eq!(found, common(&["only_out", "out"]));
    assert_eq!(input["ThingInput"]["required"], json!(["twoWords", "in", "half", "zip_code", "type"]));
    let any_name = ["renamed", "old_name", "older"].map(|name| json!({"required": [name]}));
    assert_eq!(input["ThingInput"]["allOf"], json!([{"anyOf": any_name}]));
    assert_eq!(input["ThingInput"]["properties"]["older"]["description"], "An alias of `renamed`.");
    assert_eq!(output["Thing"]["required"], json!(["twoWords", "renamed", "out", "only_out", "zip_code", "type"]));
}

#[test]
fn values_are_read_as_serde_reads_them() {
    let expected = Thing {
        two_words: 1,
        other: 2,
        faces: 3,
        half: 4,
        with_default: 5,
        address: Address { zip_code: "12345".to_owned() },
        r#type: true,
        ..Thing::default()
    };
    for name in ["renamed", "old_name", "older"] {
        let json = format!(r#"{{"twoWords": 1, "{name}": 2, "in": 3, "half": 4, "type": true, "zip_code": "12345"}}"#);
        assert_eq!(read::<Thing>(&json).as_ref(), Ok(&expected), "{json}");
    }
    assert_eq!(
        read::<Thing>(r#"{"twoWords": 1, "renamed": 2, "older": 2, "in": 3, "type": true, "zip_code": "1"}"#)
            .unwrap_err(),
        ["/older duplicate_property", "/zip_code pattern", "/half required"]
    );
}

#[test]
fn a_default_for_the_whole_struct() {
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
    #[serde(default, deny_unknown_fields)]
    struct Settings {
        size: u8,
        name: Patch<String>,
    }
    assert_eq!(read::<Settings>("{}"), Ok(Settings::default()));
    assert_eq!(read::<Settings>(r#"{"sise": 1}"#).unwrap_err(), ["/sise unknown_property"]);
    assert_eq!(published::<Settings>(SchemaSide::Input)["SettingsInput"]["additionalProperties"], false);
}

#[test]
fn changes() {
    #[derive(Debug, PartialEq, Deserialize, Schema)]
    struct Changes {
        #[serde(default)]
        #[property(min_length = 1)]
        name: Patch<String>,
        #[serde(default)]
        note: Patch<Option<String>>,
    }
    let changes = |name, note| Ok(Changes { name, note });
    assert_eq!(read::<Changes>("{}"), changes(Patch::Absent, Patch::Absent));
    assert_eq!(read::<Changes>(r#"{"note": null}"#), changes(Patch::Absent, Patch::Value(None)));
    assert_eq!(read::<Changes>(r#"{"name": null}"#).unwrap_err(), ["/name null"]);
    assert_eq!(read::<Changes>(r#"{"name": ""}"#).unwrap_err(), ["/name min_length"]);
}

#[test]
fn a_struct_around_one_value() {
    /// A name.
    #[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
    struct Name(#[property(min_length = 1)] String);

    #[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
    #[serde(transparent)]
    struct Perhaps {
        value: Option<i32>,
        #[serde(skip)]
        seen: bool,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
    struct Named {
        name: Name,
        perhaps: Perhaps,
    }
    assert_eq!(
        published::<Named>(SchemaSide::Output),
        json!({
            "Name": {"type": "string", "minLength": 1, "description": "A name."},
            "Named": {
                "type": "object",
                "properties": {
                    "name": {"$ref": "#/components/schemas/Name"},
                    "perhaps": {"anyOf": [{"$ref": "#/components/schemas/Perhaps"}, {"type": "null"}]}
                },
                "required": ["name", "perhaps"]
            },
            "Perhaps": {"type": ["integer", "null"], "format": "int32", "minimum": i32::MIN, "maximum": i32::MAX}
        })
    );
    let read = |json| read::<Named>(json).map(|named| (named.name.0, named.perhaps.value));
    assert_eq!(read(r#"{"name": "a"}"#), Ok(("a".to_owned(), None)));
    assert_eq!(read(r#"{"name": "a", "perhaps": 3}"#), Ok(("a".to_owned(), Some(3))));
    assert_eq!(read(r#"{"name": "a", "perhaps": null}"#), Ok(("a".to_owned(), None)));
    assert_eq!(read(r#"{"name": ""}"#).unwrap_err(), ["/name min_length"]);
}

#[test]
fn what_cannot_be_flattened_is_found_at_the_start() {
    #[derive(Serialize, Deserialize, Schema)]
    struct Wrong {
        #[serde(flatten)]
        rest: std::collections::BTreeMap<String, String>,
    }
    assert_eq!(
        start_errors::<Wrong>(),
        ["`MapOfString` is flattened but has no properties; nest it instead of flattening it."]
    );
}

#[test]
fn examples_and_defaults() {
    #[derive(Serialize, Deserialize, Schema)]
    struct Shown {
        #[property(example = "a", example = "b", default = [])]
        list: Vec<String>,
        #[property(read_only, example = null)]
        #[serde(default)]
        id: Option<i64>,
        #[property(values(minimum = 0), min_properties = 1)]
        counts: std::collections::BTreeMap<String, i64>,
        #[property(default = 3)]
        number: Option<i64>,
    }
    let components = published::<Shown>(SchemaSide::Output);
    let properties = &components["Shown"]["properties"];
    assert_eq!(properties["list"]["examples"], json!(["a", "b"]));
    assert_eq!(properties["list"]["default"], json!([]));
    assert_eq!(properties["id"]["examples"], json!([null]));
    assert_eq!(properties["counts"]["additionalProperties"]["minimum"], 0);
    assert_eq!(read::<Shown>(r#"{"counts": {"a": -1}}"#).err().unwrap(), ["/counts/a minimum"]);
    let read = |json| read::<Shown>(json).map(|shown| (shown.list.len(), shown.number));
    assert_eq!(read(r#"{"counts": {"a": 1}}"#), Ok((0, Some(3))));
    assert_eq!(read(r#"{"list": ["a"], "counts": {"a": 1}}"#), Ok((1, Some(3))));
    assert_eq!(read(r#"{"list": ["a"], "counts": {"a": 1}, "number": null}"#), Ok((1, None)));
}
