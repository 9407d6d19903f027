#![no_main]
//! A line with a JSON document, followed by a JSON Patch (RFC 6902). A patch that the schema accepts can be parsed. The result is JSON within the
//! limits, and equals the result of another library. A merge patch with the changes is JSON too.

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::extend::schema::{JsonPatch, Registry, SchemaSide, SchemaType};
use serde_json::Value;

/// The maximum size of a document. An input is shorter, so only operations make a document larger.
const LIMIT: usize = 50_000;

fuzz_target!(|input: &str| -> Corpus { check(input) });

fn check(input: &str) -> Corpus {
    let Some((document, patch)) = input.split_once('\n') else { return Corpus::Reject };
    let mut registry = Registry::new();
    let any = registry.compile(SchemaType::any(), SchemaSide::Input, None);
    let schema = registry.compile(JsonPatch::schema(), SchemaSide::Input, None);
    if any.read_value(document.as_bytes(), 1).is_err() {
        return Corpus::Reject;
    }
    if schema.read_value(patch.as_bytes(), 1).is_err() {
        return Corpus::Keep;
    }
    let parsed = JsonPatch::parse(patch).expect("the schema accepts the patch");
    let changes = parsed.to_merge_patch(document, &any, LIMIT);
    let sent: Value = serde_json::from_str(patch).expect("the patch is JSON");
    match parsed.apply(document, LIMIT) {
        Ok(after) => {
            assert!(after.len() <= LIMIT);
            let after: Value = serde_json::from_str(&after).expect("the document is JSON");
            serde_json::from_str::<Value>(&changes.expect("the patch can be applied")).expect("the changes are JSON");
            let mut expected: Value = serde_json::from_str(document).expect("the document is JSON");
            let other: json_patch::Patch = serde_json::from_value(sent).expect("the other library reads the patch");
            // The other library compares numbers as doubles, so only its `test` may fail.
            let applied = json_patch::patch_unsafe(&mut expected, &other);
            assert!(applied.is_err() && patch.contains("test") || expected == after, "{expected} is not {after}");
        }
        Err(error) => {
            assert_eq!(changes.expect_err("the patch cannot be applied"), error);
            let pointer = error.violation().pointer;
            assert!(sent.pointer(&pointer).is_some(), "{pointer} is not a place of the patch");
        }
    }
    Corpus::Keep
}
