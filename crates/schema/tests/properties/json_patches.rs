//! JSON Patches (RFC 6902), compared with another library and with a public suite.

use restwright_schema::{
    JsonPatch, PropertyCollection, Registry, SchemaObject, SchemaSide, array, map, object, string,
};
use serde_json::{Value, json};

use crate::choices::{Choices, run};

const LIMIT: usize = 10_000;

/// Reads a patch as a server does, and applies it.
fn patched(document: &str, patch: &str) -> Result<String, String> {
    let mut registry = Registry::new();
    let schema = registry.compile(JsonPatch::schema(), SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    schema.read_value(patch.as_bytes(), 10).map_err(|error| format!("{error:?}"))?;
    let patch = JsonPatch::parse(patch).ok_or("the schema accepts a patch that cannot be parsed")?;
    patch.apply(document, LIMIT).map_err(|error| {
        let found = error.violation();
        format!("{} {}", found.pointer, found.code)
    })
}

#[test]
fn applies_operations_in_order() {
    let deep = format!("{}1{}", "[".repeat(126), "]".repeat(126));
    for (document, patch, expected) in [
        (r#"{"a": 1}"#, json!([]), Ok(r#"{"a":1}"#)),
        (r#"{"a": 1.50}"#, json!([{"op": "copy", "from": "/a", "path": "/b"}]), Ok(r#"{"a":1.50,"b":1.50}"#)),
        (r#"{"a": 1e400}"#, json!([{"op": "move", "from": "/a", "path": "/b"}]), Ok(r#"{"b":1e400}"#)),
        (r#"{"a": "\u00e4"}"#, json!([{"op": "test", "path": "/a", "value": "ä"}]), Ok(r#"{"a":"\u00e4"}"#)),
        (r#"{"a": 100}"#, json!([{"op": "test", "path": "/a", "value": 1e2}]), Ok(r#"{"a":100}"#)),
        (
            r#"{"a": 9007199254740993}"#,
            json!([{"op": "test", "path": "/a", "value": 9007199254740992_i64}]),
            Err("/0/value test_failed"),
        ),
        (r#"{"a": 0.0}"#, json!([{"op": "test", "path": "/a", "value": -0.0}]), Ok(r#"{"a":0.0}"#)),
        (
            r#"{"a": [1]}"#,
            json!([{"op": "add", "path": "/a/-", "value": 2}, {"op": "remove", "path": "/a/0"}]),
            Ok(r#"{"a":[2]}"#),
        ),
        (r#"{"a": [1]}"#, json!([{"op": "remove", "path": "/a/-"}]), Err("/0/path no_target")),
        (r#"{"a": [1]}"#, json!([{"op": "add", "path": "/a/00", "value": 2}]), Err("/0/path no_target")),
        (r#"{"a": [1]}"#, json!([{"op": "add", "path": "/a/2", "value": 2}]), Err("/0/path no_target")),
        (r#"{"a": 1}"#, json!([{"op": "replace", "path": "/b", "value": 2}]), Err("/0/path no_target")),
        (r#"{"a": 1}"#, json!([{"op": "copy", "from": "/b", "path": "/c"}]), Err("/0/from no_target")),
        (r#"{"a": {"b": 1}}"#, json!([{"op": "move", "from": "/a", "path": "/a/c"}]), Err("/0/path invalid")),
        (r#"{"a": 1}"#, json!([{"op": "remove", "path": ""}]), Err("/0/path invalid")),
        (r#"{"a": 1}"#, json!([{"op": "move", "from": "", "path": ""}]), Ok(r#"{"a":1}"#)),
        (r#"{"a": 1}"#, json!([{"op": "move", "from": "/a", "path": "/a"}]), Ok(r#"{"a":1}"#)),
        (r#"{"a/b": {"~": 1}}"#, json!([{"op": "remove", "path": "/a~1b/~0"}]), Ok(r#"{"a/b":{}}"#)),
        (r#"{"a": 1}"#, json!([{"op": "add", "path": "/\n\"", "value": null}]), Ok(r#"{"a":1,"\u000a\"":null}"#)),
        (&format!(r#"{{"a": {deep}}}"#), json!([{"op": "copy", "from": "", "path": "/a/0"}]), Err("/0 invalid")),
        // Each operation doubles the document.
        (
            r#"{"a": ["0123456789"]}"#,
            Value::Array(vec![json!({"op": "copy", "from": "", "path": "/a/-"}); 20]),
            Err("/8 invalid"),
        ),
    ] {
        assert_eq!(
            patched(document, &patch.to_string()),
            expected.map(str::to_owned).map_err(str::to_owned),
            "{patch}"
        );
    }
}

#[test]
fn a_patch_must_match_its_schema() {
    for (patch, expected) in [
        (json!({}), "\"\" type"),
        (json!([{"op": "spam", "path": ""}]), "/0/op discriminator"),
        (json!([{"op": "add", "path": ""}]), "/0/value required"),
        (json!([{"op": "move", "path": ""}]), "/0/from required"),
        (json!([{"op": "remove"}]), "/0/path required"),
        (json!([{"op": "remove", "path": "a"}]), "/0/path pattern"),
        (json!([{"op": "remove", "path": "/~2"}]), "/0/path pattern"),
        (json!([{"op": "test", "path": "/a", "value": null, "other": 1}]), ""),
        (Value::Array(vec![json!({"op": "remove", "path": "/a"}); 101]), "\"\" max_items"),
    ] {
        let mut registry = Registry::new();
        let schema = registry.compile(JsonPatch::schema(), SchemaSide::Input, None);
        let found = match schema.check_value(&patch, 10) {
            Ok(()) => String::new(),
            Err(found) => found
                .iter()
                .map(|one| format!("{} {}", if one.pointer.is_empty() { "\"\"" } else { &one.pointer }, one.code))
                .collect(),
        };
        assert_eq!(found, expected, "{patch}");
    }
}

#[test]
fn finds_the_operation_that_set_a_value() {
    let patch = json!([
        {"op": "add", "path": "/tags/-", "value": {"name": ""}},
        {"op": "replace", "path": "/owner", "value": {"city": 1}},
        {"op": "replace", "path": "/owner/city", "value": 2},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "test", "path": "/c", "value": 1},
    ])
    .to_string();
    let patch = JsonPatch::parse(&patch).unwrap();
    for (pointer, expected) in [
        ("/tags/7/name", "/0/value/name"),
        ("/tags/7", "/0/value"),
        ("/tags", "/0"),
        ("/owner/city", "/2/value"),
        ("/owner/zip", "/1/value/zip"),
        ("/b/x", "/3"),
        ("/c", ""),
        ("/d", ""),
        ("", "/3"),
    ] {
        assert_eq!(patch.place_of(pointer), expected, "{pointer}");
    }
}

/// An object that is a partial update contains what differs. Any other value is complete.
#[test]
fn changes_become_a_merge_patch() {
    let address = || PropertyCollection::new("Address").property(string("city")).property(string("zip").optional());
    let shape = PropertyCollection::new("Pet")
        .property(string("name"))
        .property(object("address", address()))
        .property(map("labels", SchemaObject::string()))
        .property(array("tags", SchemaObject::string()))
        .changes()
        .property(object("origin", address()).optional());
    let mut registry = Registry::new();
    let shape = registry.compile(shape, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    let place = json!({"city": "b", "zip": "c"});
    let document = json!({
        "id": 1, "name": "a", "address": place, "origin": place, "labels": {"x": "1", "y": "2"}, "tags": ["t"]
    });
    for (patch, expected) in [
        (json!([]), json!({})),
        (json!([{"op": "replace", "path": "/name", "value": "a"}]), json!({})),
        (json!([{"op": "remove", "path": "/name"}]), json!({"name": null})),
        (json!([{"op": "remove", "path": "/address/zip"}]), json!({"address": {"zip": null}})),
        (json!([{"op": "add", "path": "/address/city", "value": "d"}]), json!({"address": {"city": "d"}})),
        (json!([{"op": "remove", "path": "/origin/zip"}]), json!({"origin": {"city": "b"}})),
        (json!([{"op": "add", "path": "/origin/city", "value": "d"}]), json!({"origin": {"city": "d", "zip": "c"}})),
        (json!([{"op": "remove", "path": "/labels/x"}]), json!({"labels": {"y": "2"}})),
        (json!([{"op": "add", "path": "/tags/0", "value": "s"}]), json!({"tags": ["s", "t"]})),
        (json!([{"op": "replace", "path": "/id", "value": 2}]), json!({"id": 2})),
        (json!([{"op": "replace", "path": "", "value": []}]), json!([])),
    ] {
        let text = patch.to_string();
        let document = document.to_string();
        let changes = JsonPatch::parse(&text).unwrap().to_merge_patch(&document, &shape, LIMIT).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&changes).unwrap(), expected, "{patch}");
    }
}

/// A value without numbers beyond 64 bits, which the other library does not keep.
fn value(choices: &mut Choices<'_>, depth: usize) -> Value {
    let names = ["a", "b", "/", "~", ""];
    match choices.below(if depth == 0 { 4 } else { 7 }) {
        0 => json!(choices.below(3)),
        1 => Value::Null,
        2 => json!(*choices.pick(&["", "x", "\u{e4}\n"])),
        3 => json!(choices.once_in(2)),
        4 => (0..choices.below(4)).map(|_| value(choices, depth - 1)).collect(),
        _ => Value::Object(
            (0..choices.below(4)).map(|_| ((*choices.pick(&names)).to_owned(), value(choices, depth - 1))).collect(),
        ),
    }
}

fn pointer(choices: &mut Choices<'_>) -> String {
    let tokens = ["/a", "/b", "/~1", "/~0", "/", "/0", "/1", "/2", "/-", "/00", "/01"];
    (0..choices.below(4)).map(|_| *choices.pick(&tokens)).collect()
}

fn operation(choices: &mut Choices<'_>) -> Value {
    let path = pointer(choices);
    match choices.below(6) {
        0 => json!({"op": "add", "path": path, "value": value(choices, 2)}),
        1 => json!({"op": "remove", "path": path}),
        2 => json!({"op": "replace", "path": path, "value": value(choices, 2)}),
        3 => json!({"op": "move", "path": path, "from": pointer(choices)}),
        4 => json!({"op": "copy", "path": path, "from": pointer(choices)}),
        _ => json!({"op": "test", "path": path, "value": value(choices, 1)}),
    }
}

/// The cases in which the other library differs from RFC 6902.
fn is_excepted(patch: &[Value]) -> bool {
    patch.iter().any(|one| {
        let (path, from) = (one["path"].as_str().unwrap(), one["from"].as_str());
        // It removes the whole document, and moves a value into itself if the value is the whole document.
        let is_root = one["op"] == "remove" && path.is_empty() || one["op"] == "move" && from == Some("");
        // A document is moved to its own place.
        is_root || one["op"] == "move" && from == Some(path)
    })
}

#[test]
fn applies_patches_like_another_library() {
    run("JSON Patches", |shape, text| {
        let document = value(shape, 3);
        let patch: Vec<_> = (0..text.below(5)).map(|_| operation(text)).collect();
        if is_excepted(&patch) {
            return Ok(());
        }
        let mut expected = document.clone();
        let other: json_patch::Patch =
            serde_json::from_value(patch.clone().into()).map_err(|error| error.to_string())?;
        let expected = json_patch::patch_unsafe(&mut expected, &other).map(|()| expected);
        let patch = Value::from(patch).to_string();
        let found = patched(&document.to_string(), &patch);
        match (found, expected) {
            (Ok(found), Ok(expected)) if serde_json::from_str::<Value>(&found).unwrap() == expected => Ok(()),
            (Err(_), Err(_)) => Ok(()),
            (found, expected) => {
                Err(format!("{document} with {patch} is {found:?}, and {expected:?} of the other library"))
            }
        }
    });
}

#[test]
fn numbers_keep_their_digits() {
    run("numbers of JSON Patches", |shape, text| {
        let numbers = ["1.50", "0.10000000000000000000000001", "123456789012345678901234567890", "1E-7", "-0"];
        let number = |choices: &mut Choices<'_>| (*choices.pick(&numbers)).to_owned();
        let (a, b, added) = (number(shape), number(shape), number(text));
        let operations = [
            format!(r#"{{"op": "add", "path": "/b/0", "value": {added}}}"#),
            r#"{"op": "copy", "from": "/a", "path": "/b/-"}"#.to_owned(),
            r#"{"op": "move", "from": "/b/0", "path": "/c"}"#.to_owned(),
        ];
        let found = patched(&format!(r#"{{"a":{a},"b":[{b}]}}"#), &format!("[{}]", operations.join(",")))?;
        let expected = format!(r#"{{"a":{a},"b":[{b},{a}],"c":{added}}}"#);
        if found == expected { Ok(()) } else { Err(format!("{found} is not {expected}")) }
    });
}

/// Runs the npm package json-patch-test-suite. `.ci/json-patch` installs it.
#[test]
#[ignore = "needs the folder of the suite in RESTWRIGHT_JSON_PATCH_SUITE"]
fn passes_a_public_suite() {
    let folder = std::env::var("RESTWRIGHT_JSON_PATCH_SUITE").unwrap();
    let mut cases = 0;
    for file in ["spec_tests.json", "tests.json"] {
        let tests: Vec<Value> = serde_json::from_slice(&std::fs::read(format!("{folder}/{file}")).unwrap()).unwrap();
        for case in tests.iter().filter(|case| case["disabled"] != true) {
            cases += 1;
            let found = patched(&case["doc"].to_string(), &case["patch"].to_string());
            match (found, case.get("expected"), case.get("error")) {
                (Ok(found), Some(expected), _) => {
                    assert_eq!(serde_json::from_str::<Value>(&found).unwrap(), *expected, "{case}");
                }
                (Ok(_), None, None) | (Err(_), None, Some(_)) => {}
                (found, ..) => panic!("{case} is {found:?}"),
            }
        }
    }
    assert!(cases >= 90, "only {cases} cases");
}
