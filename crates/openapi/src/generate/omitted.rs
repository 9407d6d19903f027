//! Removes the schemas that only omitted operations use.

use std::collections::{BTreeMap, BTreeSet};

use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::schema::Registry;
use serde_json::Value;

use super::Document;

const SCHEMAS: &str = "#/components/schemas/";

/// Removes the schemas to which only these operations refer, because the version of the document omits the operations.
pub(super) fn remove_schemas(omitted: &[&Operation], registry: &Registry, document: &mut Document) {
    if omitted.is_empty() {
        return;
    }
    let mut registry = registry.clone();
    let rendered = omitted
        .iter()
        .map(|operation| operation.render(&mut |used, _| registry.json_schema(&used.schema, used.side, used.mode)));
    let rendered = serde_json::to_value(rendered.collect::<Vec<_>>()).unwrap_or_default();
    let schemas = std::mem::take(&mut document.components.schemas);
    let rest = serde_json::to_value(&*document).unwrap_or_default();
    let (of_omitted, of_rest) = (reachable(&rendered, &schemas), reachable(&rest, &schemas));
    let is_kept = |name: &String| of_rest.contains(name) || !of_omitted.contains(name);
    document.components.schemas = schemas.into_iter().filter(|(name, _)| is_kept(name)).collect();
}

/// Returns the names of the schemas to which a value refers, directly or through other schemas.
fn reachable(value: &Value, schemas: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let (mut found, mut pending) = (BTreeSet::new(), Vec::new());
    references(value, &mut pending);
    while let Some(name) = pending.pop() {
        if let Some(schema) = schemas.get(&name)
            && found.insert(name)
        {
            references(schema, &mut pending);
        }
    }
    found
}

fn references(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::String(text) => names.extend(text.strip_prefix(SCHEMAS).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        Value::Object(members) => members.values().for_each(|member| references(member, names)),
        _ => {}
    }
}
