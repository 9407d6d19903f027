//! Defines [`StoredSchemas`], which excludes NUL from the schemas of stored strings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Records which components the schemas of stored values use (`stored`), and which components other schemas use
/// (`others`).
#[derive(Default)]
pub(super) struct StoredSchemas {
    stored: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl StoredSchemas {
    /// Records the component references in a schema of stored values. Adds a pattern that excludes NUL to the strings
    /// of the schema.
    pub(super) fn add(&mut self, schema: &mut Value) {
        exclude_nul(schema);
        add_references(schema, &mut |name| {
            self.stored.insert(name.to_owned());
        });
    }

    /// Records the component references in a schema of values that are not stored.
    pub(super) fn add_other(&mut self, schema: &Value) {
        add_references(schema, &mut |name| {
            self.others.insert(name.to_owned());
        });
    }

    /// Excludes NUL from the strings in all components that only stored values use.
    pub(super) fn exclude_nul(self, components: &mut BTreeMap<String, Value>) {
        // Documents without stored values need no search.
        if self.stored.is_empty() {
            return;
        }
        let (stored, others) = (reached(self.stored, components), reached(self.others, components));
        for name in stored.difference(&others) {
            components.get_mut(name).into_iter().for_each(exclude_nul);
        }
    }
}

/// A regular expression for strings without NUL. Go does not support `\u0000` in patterns, but every dialect supports
/// `\x00`.
const WITHOUT_NUL: &str = r"^[^\x00]*$";

/// Adds the pattern [`WITHOUT_NUL`] to each string schema that has no `const`, `enum`, `format` or `pattern`.
fn exclude_nul(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(exclude_nul),
        Value::Object(keywords) => {
            let is_string = match keywords.get("type") {
                Some(Value::Array(types)) => types.iter().any(|one| one == "string"),
                one => one.is_some_and(|one| one == "string"),
            };
            if is_string && ["const", "enum", "format", "pattern"].iter().all(|rule| !keywords.contains_key(*rule)) {
                keywords.insert("pattern".to_owned(), WITHOUT_NUL.into());
            }
            for (keyword, value) in keywords {
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(properties)) => properties.values_mut().for_each(exclude_nul),
                    ("items" | "additionalProperties" | "allOf" | "anyOf" | "oneOf", value) => exclude_nul(value),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Returns the given component names, and the names of all components that they refer to, directly or indirectly.
fn reached(mut names: BTreeSet<String>, components: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let mut open: Vec<_> = names.iter().cloned().collect();
    while let Some(name) = open.pop() {
        let Some(schema) = components.get(&name) else { continue };
        add_references(schema, &mut |name| {
            if names.insert(name.to_owned()) {
                open.push(name.to_owned());
            }
        });
    }
    names
}

fn add_references(schema: &Value, add: &mut dyn FnMut(&str)) {
    match schema {
        Value::Array(schemas) => schemas.iter().for_each(|schema| add_references(schema, add)),
        Value::Object(keywords) => {
            let reference = keywords.get("$ref").and_then(Value::as_str);
            reference
                .and_then(|reference| reference.strip_prefix("#/components/schemas/"))
                .into_iter()
                .for_each(&mut *add);
            keywords.values().for_each(|value| add_references(value, add));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn excludes_nul_from_free_strings() {
        let without = json!({ "type": "string", "pattern": "^[^\\x00]*$" });
        for (schema, expected) in [
            (json!({ "type": "string" }), without.clone()),
            (json!({ "type": ["string", "null"] }), json!({ "type": ["string", "null"], "pattern": WITHOUT_NUL })),
            (json!({ "type": "array", "items": { "type": "string" } }), json!({ "type": "array", "items": without })),
            (json!({ "properties": { "type": { "type": "string" } } }), json!({ "properties": { "type": without } })),
            (json!({ "additionalProperties": { "type": "string" } }), json!({ "additionalProperties": without })),
            (json!({ "anyOf": [{ "type": "string" }, {}] }), json!({ "anyOf": [without, {}] })),
        ] {
            let mut changed = schema.clone();
            exclude_nul(&mut changed);
            assert_eq!(changed, expected, "{schema}");
        }
        for kept in [
            json!({ "type": "string", "enum": ["a"] }),
            json!({ "type": "string", "const": "a" }),
            json!({ "type": "string", "format": "date" }),
            json!({ "type": "string", "pattern": "a" }),
            json!({ "type": "integer", "default": { "type": "string" } }),
            json!({ "additionalProperties": false }),
        ] {
            let mut changed = kept.clone();
            exclude_nul(&mut changed);
            assert_eq!(changed, kept);
        }
    }

    #[test]
    fn changes_components_that_only_stored_values_use() {
        let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let text = json!({ "type": "string" });
        let mut components = BTreeMap::from_iter(
            [
                ("Stored", json!({ "properties": { "both": reference("Both"), "nested": reference("Nested") } })),
                ("Nested", json!({ "items": reference("Stored"), "properties": { "text": text } })),
                ("Both", text.clone()),
                ("Other", json!({ "oneOf": [reference("Both"), text] })),
                ("Unused", text.clone()),
            ]
            .map(|(name, schema)| (name.to_owned(), schema)),
        );
        let mut schemas = StoredSchemas::default();
        let mut list = json!({ "type": "array", "items": reference("Stored") });
        schemas.add(&mut list);
        schemas.add_other(&reference("Other"));
        let before = components.clone();
        schemas.exclude_nul(&mut components);
        let changed: Vec<_> = components.iter().filter(|(name, schema)| before[*name] != **schema).collect();
        assert_eq!(
            changed,
            [(
                &"Nested".to_owned(),
                &json!({
                    "items": reference("Stored"),
                    "properties": { "text": { "type": "string", "pattern": WITHOUT_NUL } },
                })
            )]
        );
    }
}
