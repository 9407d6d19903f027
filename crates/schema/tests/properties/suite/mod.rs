//! The cases of JSON-Schema-Test-Suite that shapes can express, written anew: our verdict, and the verdict on the published schema.
//!
//! The cases are also written to a file, and `.ci/json-schema` gives them to validators in other languages.

mod formats;
mod keywords;
mod objects;

use std::fmt::Write;

use restwright_schema::{PropertyCollection, Registry, SchemaObject, SchemaSide};
use serde_json::{Value, json};

/// A schema with values that JSON Schema accepts and rejects.
struct Rule {
    /// The file of the suite.
    keyword: &'static str,
    schema: SchemaObject,
    /// Collections that the schema refers to by their names.
    named: Vec<PropertyCollection>,
    accepted: Vec<&'static str>,
    rejected: Vec<&'static str>,
    exceptions: Vec<Exception>,
}

/// A value on which our verdict differs from JSON Schema by design.
struct Exception {
    json: &'static str,
    reason: &'static str,
}

/// Starts a rule of a schema.
fn rule(keyword: &'static str, schema: impl Into<SchemaObject>) -> Rule {
    let schema = schema.into();
    Rule { keyword, schema, named: Vec::new(), accepted: Vec::new(), rejected: Vec::new(), exceptions: Vec::new() }
}

impl Rule {
    /// Adds values that are accepted, with ` | ` between them.
    fn accepts(mut self, values: &'static str) -> Self {
        self.accepted.extend(values.split(" | "));
        self
    }

    fn rejects(mut self, values: &'static str) -> Self {
        self.rejected.extend(values.split(" | "));
        self
    }

    /// Marks a value on which our verdict differs.
    fn except(mut self, json: &'static str, reason: &'static str) -> Self {
        self.exceptions.push(Exception { json, reason });
        self
    }

    fn named(mut self, collection: PropertyCollection) -> Self {
        self.named.push(collection);
        self
    }

    /// Compares the verdicts, and returns the rule as a line for other validators.
    fn check(&self, failures: &mut Vec<String>) -> Value {
        let mut registry = Registry::new();
        for collection in &self.named {
            registry.define_collection(collection);
        }
        let shape = registry.compile(&self.schema, SchemaSide::Input, None);
        let schema = registry.json_schema(&self.schema, SchemaSide::Input, None);
        assert_eq!(registry.errors(), [""; 0], "{}", self.keyword);
        let document = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "allOf": [schema],
            "components": { "schemas": registry.components() },
        });
        let validator = jsonschema::options().should_validate_formats(true).build(&document).unwrap();
        let mut values = Vec::new();
        for (verdict, json) in self.values() {
            let is_exception = self.exceptions.iter().any(|exception| exception.json == json);
            let value: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
            let published = validator.is_valid(&value);
            let ours = shape.read_value(json.as_bytes(), 1).is_ok();
            if published != verdict || ours == (verdict == is_exception) {
                failures.push(format!(
                    "{}: {json} is valid: {verdict}, published: {published}, ours: {ours}",
                    self.keyword
                ));
            }
            values.push(json!([json, verdict]));
        }
        json!({ "keyword": self.keyword, "schema": document, "values": values })
    }

    fn values(&self) -> impl Iterator<Item = (bool, &'static str)> {
        let accepted = self.accepted.iter().map(|json| (true, *json));
        accepted.chain(self.rejected.iter().map(|json| (false, *json)))
    }
}

#[test]
fn verdicts_agree_with_the_json_schema_test_suite() {
    let rules: Vec<_> = [keywords::rules(), objects::rules(), formats::rules()].into_iter().flatten().collect();
    let (mut lines, mut exceptions, mut failures) = (String::new(), 0, Vec::new());
    for rule in &rules {
        for exception in &rule.exceptions {
            let is_case = rule.values().any(|(_, json)| json == exception.json);
            assert!(is_case, "{}: the exception {} is not a case", rule.keyword, exception.json);
            println!("{}: {} is an exception. {}", rule.keyword, exception.json, exception.reason);
        }
        exceptions += rule.exceptions.len();
        writeln!(lines, "{}", rule.check(&mut failures)).unwrap();
    }
    let cases = rules.iter().map(|rule| rule.values().count()).sum::<usize>();
    println!("{cases} cases of {} rules, {exceptions} exceptions", rules.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/json-schema.jsonl"), lines).unwrap();
}
