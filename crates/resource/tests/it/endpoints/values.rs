//! Values at their limits, and invalid values.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::MemoryStore;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::tenants::Tenants;
use super::{Shelter, id};

#[test]
fn strings_are_stored_and_found_exactly() {
    let tenants = Tenants::new();
    let texts = [
        "𝄞 🐕\u{200d}🦺",
        "100%",
        "100_",
        "a\\b",
        "%_\\",
        " ",
        "Ⅷ ß",
        "\u{1}\u{7f}",
        "'; drop table",
        "ı",
        "é",
        "e\u{301}",
    ];
    for text in texts {
        let created = tenants.create("a", "/customers", json!({"title": text}));
        let viewed = tenants.outcome("a", &format!("GET /customers/{}", created["id"].as_str().unwrap()), None).1;
        assert_eq!(viewed["title"], text);
    }
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let found = |operator: &str, text: &str| {
        let path = format!("GET /customers?title{operator}={}&order_by=id", encoded(text));
        let listed = tenants.outcome("a", &path, None).1;
        listed.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for text in texts {
        assert_eq!(found("", text), [text]);
    }
    assert_eq!(found("[contains]", "%"), ["100%", "%_\\"]);
    assert_eq!(found("[contains]", "_"), ["100_", "%_\\"]);
    assert_eq!(found("[contains]", "\\"), ["a\\b", "%_\\"]);
    assert_eq!(found("[contains]", "0%\\"), [""; 0]);
    assert_eq!(tenants.outcome("a", "GET /customers?title=%00", None), (200, json!([])));
}

#[test]
fn a_string_may_fill_the_body() {
    let tenants = Tenants::new();
    let customer = tenants.create("a", "/customers", json!({"title": "Ada"}));
    let projects = format!("/customers/{}/projects", customer["id"].as_str().unwrap());
    let envelope = json!({"title": ""}).to_string().len();
    let text = "🐕".repeat((1 << 20) / 4);
    let (fits, _) = text.split_at((1 << 20) - envelope - ((1 << 20) - envelope) % 4);
    let created = tenants.create("a", &projects, json!({"title": fits}));
    let viewed = tenants.outcome("a", &format!("GET {projects}/{}", created["id"].as_str().unwrap()), None).1;
    assert!(viewed["title"] == fits);
    tenants.send("a", &format!("POST {projects}"), &[], Some(json!({"title": text}))).assert_status(413);
}

#[test]
fn rejects_invalid_strings() {
    let tenants = Tenants::new();
    for (request, body, expected) in [
        ("POST /customers", json!({"title": "a\0"}), "/title invalid"),
        ("POST /contracts", json!({"id": "a\0", "title": "A"}), "/id invalid"),
        ("PUT /contracts/a%00", json!({"id": "a\0", "title": "A"}), "/id invalid"),
        ("POST /customers", json!({"title": 7, "colour": "red"}), "/title type, /colour unknown_property"),
    ] {
        let found = tenants.outcome("a", request, Some(body.clone()));
        assert_eq!(found, (422, json!(["invalid_request", expected])), "{request} {body}");
    }
    assert_eq!(tenants.outcome("a", "GET /contracts/a%00", None).0, 404);
    assert_eq!(tenants.outcome("a", "GET /contracts/a%00/invoices", None).0, 404);
    assert_eq!(tenants.outcome("a", "GET /contracts/%FF", None).0, 400);
    assert_eq!(tenants.outcome("a", "GET /contracts/%FF/invoices", None).0, 400);
    assert_eq!(tenants.outcome("a", "GET /contracts/c/invoices/9223372036854775808", None).0, 422);
}

#[test]
fn numbers_are_stored_exactly_at_their_limits() {
    let shelter = Shelter::new();
    for (name, chip) in [("min", "0"), ("max", "9223372036854775807")] {
        for weight in ["0", "5e-324", "1.7976931348623157e308", "0.1", "9007199254740993", "2.2250738585072011e-308"] {
            let body = format!(
                r#"{{"name": "{name} {}", "species": "dog", "chip": {chip}, "weight_kg": {weight}}}"#,
                weight.len()
            );
            let created = shelter.send("POST /animals", &[], Some(&body));
            let viewed: Value = shelter.send(&format!("GET /animals/{}", id(&created)), &[], None).json();
            assert_eq!(viewed["data"]["chip"].to_string(), chip);
            assert_eq!(viewed["data"]["weight_kg"].as_f64(), Some(weight.parse().unwrap()), "{weight}");
        }
    }
    for chip in ["9223372036854775808", "18446744073709551615", "18446744073709551616", "-1", "1e400"] {
        let body = format!(r#"{{"name": "x", "species": "dog", "chip": {chip}}}"#);
        shelter.send("POST /animals", &[], Some(&body)).assert_status(422);
    }
}

#[test]
fn lists_reject_undeclared_parameters() {
    let tenants = Tenants::new();
    for (query, expected) in [
        ("filter[colour]=red", "/filter[colour] unknown_filter"),
        ("filter[title][gt]=a", "/filter[title][gt] unknown_operator"),
        ("order_by=colour", "/order_by unknown_sort_field"),
        ("cursor=abc", "/cursor cursor_invalid"),
        ("customer_id=7", "/customer_id format"),
    ] {
        let found = tenants.outcome("a", &format!("GET /contracts?{query}"), None);
        assert_eq!(found, (422, json!(["invalid_request", expected])), "{query}");
    }
}

fn tenth() -> f32 {
    0.1
}

/// A measurement with a value that the service sets.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/measurements")]
struct Measurement {
    #[property(id)]
    id: i64,
    name: String,
    #[property(read_only)]
    #[serde(default = "tenth")]
    ratio: f32,
}

#[test]
fn a_read_only_number_in_single_precision_equals_what_the_client_saw() {
    let api = Api::builder(Configuration::new("measurements", "1"));
    let client = TestClient::new(api.resource::<Measurement>(MemoryStore::new(), Access::public()).build().unwrap());
    let created: Value = client.post("/measurements").json(&json!({"name": "a"})).send().assert_status(201).json();
    assert_eq!(created["data"]["ratio"], json!(0.1));
    let path = format!("/measurements/{}", created["data"]["id"]);
    for (ratio, status) in [(json!(0.1), 200), (json!(0.2), 422)] {
        client.patch(&path).json(&json!({"name": "b", "ratio": ratio})).send().assert_status(status);
    }
}
