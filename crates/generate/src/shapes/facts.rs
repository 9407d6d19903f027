//! Describes the constraints of a JSON Schema in English sentences, for doc comments.

use serde_json::Value;

use super::docs::code;

/// The maximum length of a default or an example in a doc comment. Longer values are omitted.
const LONGEST_VALUE: usize = 120;

/// Returns sentences about a schema's constraints, default, examples and deprecation.
pub(super) fn facts(schema: &Value) -> Vec<String> {
    let mut facts = constraints(schema);
    if let Some(items) = schema.get("items") {
        let of_items = constraints(items);
        if !of_items.is_empty() {
            facts.push(format!("Each: {}", of_items.join(" ")));
        }
    }
    if let Some(default) = schema.get("default").and_then(shown) {
        facts.push(format!("{default} by default."));
    }
    if let Some(Value::Array(examples)) = schema.get("examples") {
        let examples: Vec<_> = examples.iter().filter_map(shown).collect();
        match examples.as_slice() {
            [] => {}
            [example] => facts.push(format!("Example: {example}.")),
            _ => facts.push(format!("Examples: {}.", examples.join(", "))),
        }
    }
    if schema.get("deprecated") == Some(&Value::Bool(true)) {
        facts.push("Deprecated.".to_owned());
    }
    facts
}

fn constraints(schema: &Value) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(count(schema, "minLength", "maxLength", "character", "characters"));
    facts.extend(count(schema, "minItems", "maxItems", "item", "items"));
    facts.extend(count(schema, "minProperties", "maxProperties", "property", "properties"));
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        facts.push("The items must be unique.".to_owned());
    }
    facts.extend(range(schema));
    for (keyword, phrase) in
        [("exclusiveMinimum", "Above"), ("exclusiveMaximum", "Below"), ("multipleOf", "A multiple of")]
    {
        let bound = schema.get(keyword).filter(|bound| **bound != AFTER_LARGEST);
        facts.extend(bound.map(|bound| format!("{phrase} {bound}.")));
    }
    facts.extend(schema.get("pattern").and_then(Value::as_str).map(|pattern| format!("Matches {}.", code(pattern))));
    let is_text = schema.get("type").is_some_and(|found| found == "string" || is_nullable_string(found));
    if let Some(format) = schema.get("format").and_then(Value::as_str).filter(|_| is_text) {
        facts.push(format!("The format is {}.", code(format)));
    }
    if let Some(constant) = schema.get("const").and_then(shown) {
        facts.push(format!("Always {constant}."));
    }
    if let Some(Value::Array(values)) = schema.get("enum")
        && values.iter().all(Value::is_number)
    {
        let values: Vec<_> = values.iter().filter_map(shown).collect();
        facts.push(format!("One of {}.", values.join(", ")));
    }
    facts
}

fn is_nullable_string(found: &Value) -> bool {
    found.as_array().is_some_and(|types| types.iter().any(|one| one == "string"))
}

fn count(schema: &Value, least: &str, most: &str, one: &str, several: &str) -> Option<String> {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_u64);
    let unit = |count| if count == 1 { one } else { several };
    match (bound(least).filter(|least| *least > 0), bound(most)) {
        (Some(least), Some(most)) if least == most => Some(format!("Exactly {most} {}.", unit(most))),
        (Some(least), Some(most)) => Some(format!("{least} to {most} {several}.")),
        (Some(least), None) => Some(format!("At least {least} {}.", unit(least))),
        (None, Some(most)) => Some(format!("At most {most} {}.", unit(most))),
        (None, None) => None,
    }
}

/// The number 2^63, which is above every signed 64-bit integer.
const AFTER_LARGEST: u64 = 1 << 63;

/// Describes the minimum and maximum of a number as a sentence. Omits bounds that equal the bounds of its Rust type.
fn range(schema: &Value) -> Option<String> {
    let (lowest, highest) = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some("float") => (f64::from(f32::MIN).into(), f64::from(f32::MAX).into()),
        Some("double") => (Value::Null, Value::Null),
        _ => (i64::MIN.into(), Value::Null),
    };
    let minimum = schema.get("minimum").filter(|bound| **bound != lowest);
    let maximum = schema.get("maximum").filter(|bound| **bound != highest);
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => Some(format!("From {minimum} to {maximum}.")),
        (Some(minimum), None) => Some(format!("At least {minimum}.")),
        (None, Some(maximum)) => Some(format!("At most {maximum}.")),
        (None, None) => None,
    }
}

fn shown(value: &Value) -> Option<String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (text.len() <= LONGEST_VALUE).then(|| code(&text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn constraints_are_sentences() {
        for (schema, expected) in [
            (json!({ "type": "string", "minLength": 1, "maxLength": 100 }), "1 to 100 characters."),
            (json!({ "type": "string", "minLength": 1 }), "At least 1 character."),
            (json!({ "type": ["string", "null"], "format": "date" }), "The format is `date`."),
            (json!({ "type": "string", "pattern": "^a$", "const": "a" }), "Matches `^a$`. Always `a`."),
            (json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": i32::MAX }), "At least 1."),
            (json!({ "type": "integer", "minimum": i64::MIN, "exclusiveMaximum": 1_u64 << 63 }), ""),
            (json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": 9 }), "From 1 to 9."),
            (json!({ "type": "integer", "enum": [1, 2] }), "One of `1`, `2`."),
            (json!({ "type": "string", "enum": ["a", "b"] }), ""),
            (
                json!({ "type": "number", "format": "double", "exclusiveMinimum": 0, "multipleOf": 0.5, "default": 1.5 }),
                "Above 0. A multiple of 0.5. `1.5` by default.",
            ),
            (
                json!({ "type": "array", "maxItems": 5, "uniqueItems": true, "items": { "type": "string", "maxLength": 1 } }),
                "At most 5 items. The items must be unique. Each: At most 1 character.",
            ),
            (json!({ "type": "object", "minProperties": 2, "maxProperties": 2 }), "Exactly 2 properties."),
            (json!({ "examples": ["Rex"], "deprecated": true }), "Example: `Rex`. Deprecated."),
            (json!({ "examples": ["a", "x".repeat(1_000), { "b": 1 }] }), "Examples: `a`, `{\"b\":1}`."),
        ] {
            assert_eq!(facts(&schema).join(" "), expected, "{schema}");
        }
    }
}
