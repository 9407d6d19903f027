//! Copies limits such as `max_length` from the request schemas to an entity definition. A store compares the limits with its columns.

use restwright_core::schema::{Registry, SchemaSide};
use serde_json::Value;

use super::info::ResourceInfo;
use crate::definition::{EntityDefinition, ValueBounds};
use crate::endpoints::erased::kind::{Kind, Shape};

/// Adds the limits from the schemas of the create and update bodies to the entity definition of a resource. Returns the new definition.
pub(in crate::endpoints) fn with_bounds(info: &ResourceInfo) -> EntityDefinition {
    // Schemas of a separate registry do not appear in the document.
    let mut registry = Registry::new();
    info.set_shapes(&mut registry);
    let mut found = bounds(info.kind, Shape::New, &mut registry);
    for (name, bounds) in bounds(info.kind, Shape::Update, &mut registry) {
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = known.widened(bounds),
            None => found.push((name, bounds)),
        }
    }
    found.into_iter().fold(info.definition.clone(), |definition, (name, bounds)| definition.bounded(&name, bounds))
}

fn bounds(kind: &dyn Kind, shape: Shape, registry: &mut Registry) -> Vec<(String, ValueBounds)> {
    let schema = kind.schema_type(shape, registry);
    let properties = registry.collection(&schema).map(|collection| collection.properties().to_vec());
    let properties = properties.unwrap_or_default().into_iter().map(|property| {
        let name = property.name().to_owned();
        let schema = registry.json_schema(property.into_schema(), SchemaSide::Input, None);
        (name, schema)
    });
    let properties: Vec<_> = properties.collect();
    let components = registry.components();
    let component = |schema: &Value| {
        let name = schema.get("$ref")?.as_str()?.rsplit('/').next()?;
        components.get(name).map(|schema| (**schema).clone())
    };
    let read = |(name, schema): (String, Value)| {
        let branches = schema.get("anyOf").and_then(Value::as_array);
        let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
        // The schema may be a nullable property that refers to a named schema.
        let schema = branches.and_then(|all| all.iter().find(|branch| !is_null(branch))).cloned().unwrap_or(schema);
        let schema = component(&schema).unwrap_or(schema);
        (name, of_schema(&schema))
    };
    properties.into_iter().map(read).collect()
}

fn of_schema(schema: &Value) -> ValueBounds {
    let values = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let longest = texts.map(|text| text.chars().count()).max().and_then(|length| u64::try_from(length).ok());
    let is_uuid = schema.get("format").and_then(Value::as_str) == Some("uuid");
    let integer = |name: &str| schema.get(name).and_then(Value::as_i64);
    ValueBounds {
        max_length: longest.or(is_uuid.then_some(36)).or_else(|| schema.get("maxLength").and_then(Value::as_u64)),
        minimum: integer("minimum").or_else(|| integer("exclusiveMinimum").map(|bound| bound.saturating_add(1))),
        maximum: integer("maximum").or_else(|| integer("exclusiveMaximum").map(|bound| bound.saturating_sub(1))),
    }
}
