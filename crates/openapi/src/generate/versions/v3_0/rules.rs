//! Contains the conversion rules for schema keywords that OpenAPI 3.0 does not support or interprets differently.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value, json};

use super::schema::{Conversion, ConvertedSchema, Fit};

type SourceSchema = Map<String, Value>;

/// Converts the keyword `$ref`. A reference to a component is kept. OpenAPI 3.0 cannot refer to other schemas.
pub(super) fn reference(
    conversion: &mut Conversion<'_>,
    value: &Value,
    _: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    match value.as_str().and_then(|uri| uri.strip_prefix("#/components/schemas/")) {
        Some(name) if !name.contains('/') => {
            if conversion.is_loose(name) {
                target.fit = Fit::Loose;
            }
            target.reference = Some(value.clone());
        }
        _ => conversion.lose("$ref", target),
    }
}

/// Converts each schema in a list. Returns [`Fit::Loose`] if any converted schema accepts more values than its
/// original.
fn each(conversion: &mut Conversion<'_>, value: &Value) -> (Vec<Value>, Fit) {
    let converted = value.as_array().into_iter().flatten().map(|schema| conversion.schema(schema));
    let (schemas, fits): (Vec<_>, Vec<_>) = converted.unzip();
    (schemas, fits.into_iter().max().unwrap_or_default())
}

pub(super) fn all_of(conversion: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    let (schemas, fit) = each(conversion, value);
    target.all_of.extend(schemas);
    target.fit = target.fit.max(fit);
}

pub(super) fn any_of(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let (schemas, fit) = each(conversion, value);
    target.fit = target.fit.max(fit);
    match nullable(&schemas, source) {
        Some(schema) => schema.into_iter().for_each(|(keyword, value)| target.put(&keyword, value)),
        None => target.put("anyOf", schemas.into()),
    }
}

/// Converts the keyword `oneOf`. If a converted schema is loose, a value could match two schemas, so the result is
/// `anyOf`.
pub(super) fn one_of(conversion: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    let (schemas, fit) = each(conversion, value);
    target.fit = target.fit.max(fit);
    target.put(if fit == Fit::Exact { "oneOf" } else { "anyOf" }, schemas.into());
}

/// Converts the keyword `not`. If the converted schema is loose, `not` would reject more values, so the keyword is
/// omitted.
pub(super) fn not(conversion: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    match conversion.schema(value) {
        (schema, Fit::Exact) => target.put("not", schema),
        (_, Fit::Loose) => conversion.lose("not", target),
    }
}

/// Converts an `anyOf` of a typed schema and null to one schema with `nullable`. Returns `None` if this is not
/// possible.
fn nullable(schemas: &[Value], source: &SourceSchema) -> Option<SourceSchema> {
    let [Value::Object(schema), null] = schemas else { return None };
    let applies_to_null = |keyword: &str| matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not" | "discriminator");
    let is_free = |keyword: &String| !applies_to_null(keyword) && !source.contains_key(keyword);
    if *null != null_schema() || !schema.contains_key("type") || !schema.keys().all(is_free) {
        return None;
    }
    let mut schema = schema.clone();
    schema.insert("nullable".to_owned(), true.into());
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Some(schema)
}

/// Returns a schema that accepts only null. The schema is an enumeration, because `nullable` requires a `type`.
fn null_schema() -> Value {
    json!({ "enum": [null] })
}

pub(super) fn types(_: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let (null, others): (Vec<&Value>, Vec<&Value>) = names.iter().partition(|name| *name == "null");
    let typed =
        |name: &Value| if *name == "array" { json!({ "type": name, "items": {} }) } else { json!({ "type": name }) };
    match (others.as_slice(), null.is_empty()) {
        ([], true) => {}
        ([], false) => target.put("enum", json!([null])),
        ([one], no_null) => {
            target.put("type", (*one).clone());
            if !no_null {
                target.put("nullable", true.into());
            }
        }
        (several, no_null) => {
            let mut schemas: Vec<_> = several.iter().map(|name| typed(name)).collect();
            if !no_null {
                schemas.push(null_schema());
            }
            target.put("anyOf", schemas.into());
        }
    }
}

pub(super) fn enumeration(_: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    target.put("enum", value.clone());
}

pub(super) fn constant(_: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    target.put("enum", json!([value]));
}

/// Converts the keyword `required`. Omits an empty list, because OpenAPI 3.0 requires at least one name.
pub(super) fn required(_: &mut Conversion<'_>, value: &Value, _: &SourceSchema, target: &mut ConvertedSchema) {
    if value.as_array().is_some_and(|names| !names.is_empty()) {
        target.put("required", value.clone());
    }
}

pub(super) fn minimum(_: &mut Conversion<'_>, value: &Value, source: &SourceSchema, target: &mut ConvertedSchema) {
    bound(["minimum", "exclusiveMinimum"], (Some(value), source.get("exclusiveMinimum")), Ordering::Greater, target);
}

pub(super) fn maximum(_: &mut Conversion<'_>, value: &Value, source: &SourceSchema, target: &mut ConvertedSchema) {
    bound(["maximum", "exclusiveMaximum"], (Some(value), source.get("exclusiveMaximum")), Ordering::Less, target);
}

pub(super) fn exclusive_minimum(
    _: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    if !source.contains_key("minimum") {
        bound(["minimum", "exclusiveMinimum"], (None, Some(value)), Ordering::Greater, target);
    }
}

pub(super) fn exclusive_maximum(
    _: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    if !source.contains_key("maximum") {
        bound(["maximum", "exclusiveMaximum"], (None, Some(value)), Ordering::Less, target);
    }
}

/// Converts an inclusive and an exclusive bound of a number, and keeps the stricter bound. `stricter` is `Greater` for
/// minimums and `Less` for maximums.
fn bound(
    [keyword, exclusive_keyword]: [&str; 2],
    bounds: (Option<&Value>, Option<&Value>),
    stricter: Ordering,
    target: &mut ConvertedSchema,
) {
    let exclusive = |bound: &Value| json!({ keyword: bound, exclusive_keyword: true });
    match bounds {
        (Some(Value::Number(inclusive)), Some(Value::Number(bound))) => match compare(bound, inclusive) {
            Some(order) if order == stricter || order == Ordering::Equal => {
                target.put(keyword, bound.clone().into());
                target.put(exclusive_keyword, true.into());
            }
            Some(_) => target.put(keyword, inclusive.clone().into()),
            None => {
                target.put(keyword, inclusive.clone().into());
                target.all_of.push(exclusive(&bound.clone().into()));
            }
        },
        (None, Some(bound)) => {
            target.put(keyword, bound.clone());
            target.put(exclusive_keyword, true.into());
        }
        (Some(bound), _) => target.put(keyword, bound.clone()),
        (None, None) => {}
    }
}

/// Compares two numbers. Returns `None` if the comparison would round one of the numbers.
fn compare(left: &Number, right: &Number) -> Option<Ordering> {
    if let (Some(left), Some(right)) = (left.as_i128(), right.as_i128()) {
        return Some(left.cmp(&right));
    }
    let [left, right] = [left.as_f64()?, right.as_f64()?];
    let is_exact = [left, right].iter().all(|number| number.abs() < 9_007_199_254_740_992.0);
    if is_exact { left.partial_cmp(&right) } else { None }
}

/// Converts `prefixItems` to `items`. Each item must then match any of the schemas in `prefixItems` or the schema in
/// `items`.
pub(super) fn prefix_items(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let first: Vec<_> = value.as_array().into_iter().flatten().collect();
    // No item follows if `maxItems` excludes it.
    let most = source.get("maxItems").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
    let rest =
        if most.is_some_and(|most| most <= first.len()) { Some(&Value::Bool(false)) } else { source.get("items") };
    let schemas = alternatives(conversion, first.into_iter(), rest);
    target.put("items", schemas);
    conversion.lose("prefixItems", target);
}

pub(super) fn items(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    if !source.contains_key("prefixItems") {
        let (schema, fit) = conversion.schema(value);
        target.put("items", schema);
        target.fit = target.fit.max(fit);
    }
}

pub(super) fn properties(
    conversion: &mut Conversion<'_>,
    value: &Value,
    _: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let mut converted = Map::new();
    for (name, schema) in value.as_object().into_iter().flatten() {
        let (schema, fit) = conversion.schema(schema);
        converted.insert(name.clone(), schema);
        target.fit = target.fit.max(fit);
    }
    target.put("properties", converted.into());
}

/// Converts `patternProperties` to `additionalProperties`. Each undeclared property must then match any of the schemas
/// in `patternProperties` or the schema in `additionalProperties`.
pub(super) fn pattern_properties(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let patterns = value.as_object().into_iter().flat_map(Map::values);
    let schemas = alternatives(conversion, patterns, source.get("additionalProperties"));
    target.put("additionalProperties", schemas);
    conversion.lose("patternProperties", target);
}

pub(super) fn additional_properties(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    if source.contains_key("patternProperties") {
        return;
    }
    // Boolean schemas are allowed only here in OpenAPI 3.0.
    let (schema, fit) = if value.is_boolean() { (value.clone(), Fit::Exact) } else { conversion.schema(value) };
    target.put("additionalProperties", schema);
    target.fit = target.fit.max(fit);
}

/// Returns a schema that accepts every value that matches one of the given schemas or `rest`. If `rest` is absent or
/// `true`, the schema accepts any value.
fn alternatives<'s>(
    conversion: &mut Conversion<'_>,
    schemas: impl Iterator<Item = &'s Value>,
    rest: Option<&'s Value>,
) -> Value {
    let Some(rest) = rest.filter(|rest| **rest != Value::Bool(true)) else { return json!({}) };
    let all = schemas.chain(Some(rest).filter(|rest| **rest != Value::Bool(false)));
    let mut schemas: Vec<Value> = Vec::new();
    for schema in all {
        let schema = conversion.schema(schema).0;
        if !schemas.contains(&schema) {
            schemas.push(schema);
        }
    }
    match schemas.as_mut_slice() {
        [] => json!({ "not": {} }),
        [one] => one.take(),
        _ => json!({ "anyOf": schemas }),
    }
}

/// Converts the keyword `contentEncoding`. The value `base64` becomes `format: byte` (RFC 4648, section 4). Other
/// encodings are lost.
pub(super) fn content_encoding(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    if *value == "base64" && !source.contains_key("format") {
        target.put("format", "byte".into());
    } else {
        conversion.losses.add("`contentEncoding`");
    }
}

/// Converts the keyword `contentMediaType`. The value `application/octet-stream` without an encoding becomes
/// `format: binary`. Other media types are lost.
pub(super) fn content_media_type(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let is_free = !source.contains_key("format") && !source.contains_key("contentEncoding");
    if *value == "application/octet-stream" && is_free {
        target.put("format", "binary".into());
    } else {
        conversion.losses.add("`contentMediaType`");
    }
}

pub(super) fn examples(
    conversion: &mut Conversion<'_>,
    value: &Value,
    source: &SourceSchema,
    target: &mut ConvertedSchema,
) {
    let examples = value.as_array().map_or(&[][..], Vec::as_slice);
    let mut lost = examples.len();
    if let (Some(first), false) = (examples.first(), source.contains_key("example")) {
        target.put("example", first.clone());
        lost -= 1;
    }
    if lost > 0 {
        conversion.losses.add("examples of a schema after the first");
    }
}
