//! A JSON Schema validator that reads the published pattern must agree with the declared pattern.

use restwright_schema::{Registry, SchemaSide, string};
use serde_json::json;

use crate::oracle::validator;

#[test]
fn validators_agree_on_published_patterns() {
    let texts = [
        "",
        "5",
        "٣",
        "a",
        "_",
        "é",
        "-",
        " ",
        "\t",
        "\u{a0}",
        "\u{2003}",
        "\u{feff}",
        "\u{85}",
        "🦀",
        "\u{10ffff}",
        "^",
        "`",
    ];
    for class in ["d", "D", "w", "W", "s", "S"] {
        for pattern in
            [format!(r"^\{class}$"), format!(r"^[\{class}]$"), format!(r"^[^\{class}]$"), format!(r"^[\{class}a5-]$")]
        {
            let property = string("text").pattern(&pattern);
            let mut registry = Registry::new();
            let schema = registry.json_schema(property.schema(), SchemaSide::Input, None);
            assert!(!schema["pattern"].as_str().unwrap().contains(&format!(r"\{class}")), "{schema}");
            let shape = registry.compile_property(&property, SchemaSide::Input, None);
            let validator = validator(&schema, registry.components());
            for text in texts {
                let holds = shape.check_value(&json!(text), 1).is_ok();
                assert_eq!(validator.is_valid(&json!(text)), holds, "{pattern} {text:?}");
            }
        }
    }
}
