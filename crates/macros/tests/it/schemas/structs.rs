use restwright::Schema;
use restwright::schema::{Format, SchemaSide};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{published, read};

const LONGEST: usize = 100;
const EVEN: Format = Format::custom("even", |text| text.len().is_multiple_of(2));

/// An animal that someone owns.
#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[schema(title = "A pet")]
struct Pet {
    /// Made by the server.
    #[serde(skip_deserializing)]
    id: i64,
    #[property(min_length = 1, max_length = LONGEST, example = "Rex")]
    name: String,
    #[property(exclusive_minimum = 0, maximum = 10_000, multiple_of = 0.5)]
    weight_kg: Option<f64>,
    #[property(max_items = 2, unique_items, items(min_length = 1, max_length = 3))]
    tags: Vec<String>,
    #[property(format = "hostname", write_only)]
    contact: Option<String>,
    #[property(pattern = "^[0-9]{5}$", format = EVEN)]
    #[deprecated]
    #[serde(default)]
    code: String,
    #[property(default = 5_000_000_000, minimum = -5_000_000_000, title = "Steps")]
    steps: i64,
    #[property(constant = "pet", description = "Always `pet`.")]
    r#type: String,
}

#[test]
fn everything_that_a_property_says_is_published() {
    let properties = |own: serde_json::Value| {
        let mut properties = json!({
            "name": {"type": "string", "minLength": 1, "maxLength": 100, "examples": ["Rex"]},
            "weight_kg": {
                "type": ["number", "null"], "format": "double", "exclusiveMinimum": 0, "maximum": 10000, "multipleOf": 0.5
            },
            "tags": {
                "type": "array", "maxItems": 2, "uniqueItems": true,
                "items": {"type": "string", "minLength": 1, "maxLength": 3}
            },
            "code": {"type": "string", "pattern": "^[0-9]{5}$", "format": "even", "deprecated": true},
            "steps": {
                "type": "integer", "format": "int64", "minimum": -5_000_000_000_i64,
                "default": 5_000_000_000_i64, "title": "Steps"
            },
            "type": {"type": "string", "const": "pet", "description": "Always `pet`."}
        });
        properties.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        properties
    };
    assert_eq!(
        published::<Pet>(SchemaSide::Output)["Pet"],
        json!({
            "title": "A pet",
            "description": "An animal that someone owns.",
            "type": "object",
            "properties": properties(json!({
                "id": {
                    "type": "integer", "format": "int64", "readOnly": true,
                    "description": "Made by the server."
                }
            })),
            "required": ["id", "name", "weight_kg", "tags", "code", "steps", "type"]
        })
    );
    assert_eq!(
        published::<Pet>(SchemaSide::Input)["PetInput"],
        json!({
            "title": "A pet",
            "description": "An animal that someone owns.",
            "type": "object",
            "properties": properties(json!({
                "contact": {"type": ["string", "null"], "format": "hostname", "writeOnly": true}
            })),
            "required": ["name", "tags", "type"]
        })
    );
}

#[test]
fn constraints_are_checked() {
    let wrong =
        r#"{"name": "", "weight_kg": 0.7, "tags": ["a", "", "abcd"], "contact": "-", "code": "123", "type": "dog"}"#;
    assert_eq!(
        read::<Pet>(wrong).unwrap_err(),
        [
            "/name min_length",
            "/weight_kg multiple_of",
            "/tags max_items",
            "/tags/1 min_length",
            "/tags/2 max_length",
            "/contact format",
            "/code pattern",
            "/code format",
            "/type const"
        ]
    );
}

#[test]
fn a_valid_value_is_read() {
    let pet = read::<Pet>(r#"{"id": 9, "type": "pet", "name": "Rex", "tags": [], "weight_kg": null}"#).unwrap();
    assert_eq!((pet.id, pet.name.as_str(), pet.weight_kg, pet.steps), (0, "Rex", None, 5_000_000_000));
}
