//! Converts schemas in the dialect of OpenAPI 3.0 to okapi's types.

use okapi::openapi3::SchemaObject;
use okapi::schemars::schema::{InstanceType, Schema, SingleOrVec};
use serde_json::{Map, Value};

/// Converts a schema to okapi's type. A keyword without a field in okapi's type becomes an extension.
pub(crate) fn object(schema: &Value) -> SchemaObject {
    let mut target = SchemaObject::default();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        if set(&mut target, keyword, value).is_none() {
            target.extensions.insert(keyword.clone(), value.clone());
        }
    }
    target
}

/// Sets the field of okapi's type that corresponds to a keyword. Returns `None` if okapi has no field for the keyword,
/// or if the value has the wrong type.
fn set(target: &mut SchemaObject, keyword: &str, value: &Value) -> Option<()> {
    match keyword {
        "$ref" => target.reference = Some(text(value)?),
        "title" => target.metadata().title = Some(text(value)?),
        "description" => target.metadata().description = Some(text(value)?),
        "default" => target.metadata().default = Some(value.clone()),
        "deprecated" => target.metadata().deprecated = value.as_bool()?,
        "readOnly" => target.metadata().read_only = value.as_bool()?,
        "writeOnly" => target.metadata().write_only = value.as_bool()?,
        "type" => target.instance_type = Some(SingleOrVec::from(instance_type(value.as_str()?)?)),
        "format" => target.format = Some(text(value)?),
        "enum" => target.enum_values = Some(value.as_array()?.clone()),
        "allOf" => target.subschemas().all_of = Some(schemas(value)?),
        "anyOf" => target.subschemas().any_of = Some(schemas(value)?),
        "oneOf" => target.subschemas().one_of = Some(schemas(value)?),
        "not" => target.subschemas().not = Some(Box::new(any(value))),
        "multipleOf" => target.number().multiple_of = Some(value.as_f64()?),
        "minimum" => target.number().minimum = Some(value.as_f64()?),
        "maximum" => target.number().maximum = Some(value.as_f64()?),
        "minLength" => target.string().min_length = count(value),
        "maxLength" => target.string().max_length = count(value),
        "pattern" => target.string().pattern = Some(text(value)?),
        "items" => target.array().items = Some(SingleOrVec::from(any(value))),
        "minItems" => target.array().min_items = count(value),
        "maxItems" => target.array().max_items = count(value),
        "uniqueItems" => target.array().unique_items = Some(value.as_bool()?),
        "properties" => target.object().properties = by_name(value.as_object()?).collect(),
        "required" => target.object().required = value.as_array()?.iter().filter_map(text).collect(),
        "additionalProperties" => target.object().additional_properties = Some(Box::new(any(value))),
        "minProperties" => target.object().min_properties = count(value),
        "maxProperties" => target.object().max_properties = count(value),
        _ => return None,
    }
    Some(())
}

fn any(schema: &Value) -> Schema {
    schema.as_bool().map_or_else(|| object(schema).into(), Schema::Bool)
}

fn schemas(list: &Value) -> Option<Vec<Schema>> {
    Some(list.as_array()?.iter().map(any).collect())
}

fn by_name(schemas: &Map<String, Value>) -> impl Iterator<Item = (String, Schema)> {
    schemas.iter().map(|(name, schema)| (name.clone(), any(schema)))
}

fn instance_type(name: &str) -> Option<InstanceType> {
    Some(match name {
        "boolean" => InstanceType::Boolean,
        "object" => InstanceType::Object,
        "array" => InstanceType::Array,
        "number" => InstanceType::Number,
        "string" => InstanceType::String,
        "integer" => InstanceType::Integer,
        _ => return None,
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns the value of a keyword such as `maxLength` or `minItems`, or `None` if it exceeds the range of `u32`.
fn count(value: &Value) -> Option<u32> {
    value.as_u64()?.try_into().ok()
}
