//! Defines [`UsedSchemas`], which keeps the used components and excludes NUL from the schemas of stored strings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

/// Records which components the schemas of operations use, and for which values.
#[derive(Default)]
pub(super) struct UsedSchemas(HashMap<String, ComponentUses>);

/// A set of uses of a component.
#[derive(Clone, Copy, Default, PartialEq)]
struct ComponentUses(u8);

impl ComponentUses {
    /// Stored values in requests.
    const STORED: Self = Self(1);
    /// Stored values in responses. They need no pattern, because clients do not send them.
    const SENT: Self = Self(2);
    /// Values that are not stored.
    const OTHER: Self = Self(4);

    fn contains(self, uses: Self) -> bool {
        self.0 & uses.0 == uses.0
    }

    /// Adds uses, and returns those that were not in the set.
    fn add(&mut self, uses: Self) -> Self {
        let added = Self(uses.0 & !self.0);
        self.0 |= uses.0;
        added
    }
}

impl UsedSchemas {
    /// Records the component references in a schema of stored values in a request. Adds a pattern that excludes NUL to
    /// the strings of the schema.
    pub(super) fn add_stored(&mut self, schema: &mut Value) {
        exclude_nul(schema);
        self.add(schema, ComponentUses::STORED);
    }

    /// Records the component references in a schema of stored values in a response.
    pub(super) fn add_sent(&mut self, schema: &Value) {
        self.add(schema, ComponentUses::SENT);
    }

    /// Records the component references in a schema of values that are not stored.
    pub(super) fn add_other(&mut self, schema: &Value) {
        self.add(schema, ComponentUses::OTHER);
    }

    fn add(&mut self, schema: &Value, uses: ComponentUses) {
        each_reference(schema, &mut |name| match self.0.get_mut(name) {
            Some(known) => {
                known.add(uses);
            }
            None => {
                self.0.insert(name.to_owned(), uses);
            }
        });
    }

    /// Returns the components that the recorded schemas use, directly or indirectly. Excludes NUL from the strings in
    /// all components that only stored values use.
    pub(super) fn components(&self, mut components: BTreeMap<String, Arc<Value>>) -> BTreeMap<String, Arc<Value>> {
        let mut found: HashMap<&str, ComponentUses> = HashMap::with_capacity(components.len());
        let mut open: Vec<(&str, ComponentUses)> = self.0.iter().map(|(name, uses)| (name.as_str(), *uses)).collect();
        while let Some((name, uses)) = open.pop() {
            let added = found.entry(name).or_default().add(uses);
            if added != ComponentUses::default() {
                let schema = components.get(name);
                schema.into_iter().for_each(|schema| each_reference(schema, &mut |name| open.push((name, added))));
            }
        }
        let found: Vec<ComponentUses> =
            components.keys().map(|name| found.get(name.as_str()).copied().unwrap_or_default()).collect();
        let mut found = found.into_iter();
        components.retain(|_, schema| {
            let uses = found.next().unwrap_or_default();
            if uses.contains(ComponentUses::STORED) && !uses.contains(ComponentUses::OTHER) {
                exclude_nul(Arc::make_mut(schema));
            }
            uses != ComponentUses::default()
        });
        components
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
                    ("items" | "prefixItems" | "additionalProperties" | "allOf" | "anyOf" | "oneOf", value) => {
                        exclude_nul(value)
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Calls `each` with the component name of each reference in a schema.
fn each_reference<'s>(schema: &'s Value, each: &mut dyn FnMut(&'s str)) {
    match schema {
        Value::Array(schemas) => schemas.iter().for_each(|schema| each_reference(schema, each)),
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match value {
                    Value::String(reference) if keyword == "$ref" => {
                        reference.strip_prefix("#/components/schemas/").into_iter().for_each(&mut *each);
                    }
                    value => each_reference(value, each),
                }
            }
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
    fn keeps_used_components_and_changes_those_that_only_stored_values_use() {
        let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
        let (text, without) = (json!({ "type": "string" }), json!({ "type": "string", "pattern": WITHOUT_NUL }));
        let components = BTreeMap::from_iter(
            [
                ("Stored", json!({ "properties": { "both": reference("Both"), "nested": reference("Nested") } })),
                ("Nested", json!({ "items": reference("Stored"), "properties": { "text": text } })),
                ("Both", text.clone()),
                ("Other", json!({ "oneOf": [reference("Both"), text] })),
                ("Sent", json!({ "items": reference("Nested"), "properties": { "text": text } })),
                ("Unused", json!({ "items": reference("Unused") })),
            ]
            .map(|(name, schema)| (name.to_owned(), Arc::new(schema))),
        );
        let mut schemas = UsedSchemas::default();
        let mut list = json!({ "type": "array", "items": reference("Stored") });
        schemas.add_stored(&mut list);
        schemas.add_sent(&reference("Sent"));
        schemas.add_other(&reference("Other"));
        let mut expected = components.clone();
        expected.remove("Unused");
        Arc::make_mut(expected.get_mut("Nested").unwrap())["properties"]["text"] = without;
        assert_eq!(schemas.components(components), expected);
    }
}
