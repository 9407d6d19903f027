//! Lists: filters, order and pagination.

use serde_json::{Value, json};

use super::Shelter;

#[test]
fn lists_are_filtered_sorted_and_paged() {
    let shelter = Shelter::new();
    shelter.send("POST /animals", &[], Some(r#"{"name": "Mia", "species": "bird", "weight_kg": 0.2}"#));
    for (query, names, total) in [
        ("", ["Mia", "Rex", "Ada"].as_slice(), 3),
        ("?order_by=name", &["Ada", "Mia", "Rex"], 3),
        ("?order_by=-name&limit=2", &["Rex", "Mia"], 3),
        ("?order_by=-name&limit=2&page=2", &["Ada"], 3),
        ("?order_by=name&filter[species][in]=dog,cat&limit=1", &["Ada"], 2),
        ("?name[contains]=A&order_by=name", &["Ada", "Mia"], 2),
        ("?weight_kg[gt]=1", &["Ada"], 1),
        ("?name=nobody", &[], 0),
    ] {
        let response = shelter.send(&format!("GET /animals{query}"), &[], None);
        let body: Value = response.json();
        let found: Vec<_> = body["data"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
        assert_eq!(json!([found, body["pagination"]["total"]]), json!([names, total]), "{query}");
    }
    let response = shelter.send("GET /animals?name=Ada", &[], None);
    let item = response.json::<Value>()["data"][0].clone();
    let fields: Vec<_> = item.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["id", "name", "species", "created_at"]);
    shelter.send("GET /animals?limit=0&order_by=chip&filter[chip]=7", &[], None).assert_violations([
        ("query", "/limit", "minimum"),
        ("query", "/order_by", "unknown_sort_field"),
        ("query", "/filter[chip]", "unknown_filter"),
    ]);
}
