//! The resource `/animals`, and the statements about it in README.

use std::path::Path;
use std::process::Command;

use restwright::testing::TestClient;
use serde_json::{Value, json};

use super::{client, client_with, expected, violations};
use animals::authentication::{Authentication, SCOPES};

/// Returns an animal with all properties.
fn ada() -> Value {
    json!({"name": "Ada", "species": "cat", "weight_kg": 4.2, "born_on": "2021-05-04", "tags": ["calm"]})
}

/// Creates an animal and returns its path.
fn created(client: &TestClient, animal: &Value) -> String {
    let response = client.post("/animals").json(animal).send();
    response.assert_status(201).assert_documented();
    response.header("location").unwrap().to_owned()
}

/// Returns the names in a list, in order.
fn names(client: &TestClient, query: &str) -> Vec<String> {
    let response = client.get(format!("/animals?{query}")).send();
    response.assert_status(200).assert_documented();
    let list: Value = response.json();
    list["data"].as_array().unwrap().iter().map(|animal| animal["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn animals_require_their_scopes() {
    let id = "/animals/!";
    for (method, path, scope) in [
        ("POST", "/animals", "animals:create"),
        ("GET", "/animals?page=0", "animals:read"),
        ("GET", id, "animals:read"),
        ("PATCH", id, "animals:update"),
        ("DELETE", id, "animals:delete"),
    ] {
        let send = |client: &TestClient| {
            let request = client.request(method.parse().unwrap(), path);
            if ["POST", "PATCH"].contains(&method) { request.json(&json!({"name": ""})).send() } else { request.send() }
        };
        let others: Vec<_> = SCOPES.into_iter().filter(|other| *other != scope).collect();
        let refused = send(&client_with(&others));
        refused.assert_status(403).assert_documented();
        assert_eq!(refused.json::<Value>()["missing_scopes"], json!([scope]), "{method} {path}");
        send(&client_with(&[scope])).assert_status(422).assert_documented();
        let guest = send(&TestClient::new(animals::api().unwrap()));
        guest.assert_status(401).assert_documented();
        assert_eq!(guest.headers().get_all("www-authenticate").iter().count(), 2, "{method} {path}");
    }
}

#[test]
fn an_animal_is_created_changed_and_deleted() {
    check_life(&client());
}

/// Creates, views, changes and deletes an animal.
pub(super) fn check_life(client: &TestClient) {
    let path = created(client, &ada());
    let viewed = client.get(&path).send();
    viewed.assert_status(200).assert_documented();
    let mut animal = viewed.json::<Value>()["data"].clone();
    let id = animal["id"].as_str().unwrap();
    assert_eq!(
        (path.as_str(), id.chars().nth(14)),
        (format!("/animals/{id}").as_str(), Some('7')),
        "the version of the UUID"
    );
    assert_eq!(animal["created_at"], animal["updated_at"]);
    for (name, value) in ada().as_object().unwrap() {
        assert_eq!(&animal[name], value, "{name}");
    }

    let tag = viewed.header("etag").unwrap();
    assert_eq!(tag, format!("\"{}\"", animal["version"]));
    client.get(&path).header("If-None-Match", tag).send().assert_status(304).assert_documented();
    let patch = |body: Value| client.patch(&path).header("If-Match", tag).json(&body).send();
    let changed = patch(json!({"weight_kg": null, "tags": []}));
    changed.assert_status(200).assert_documented();
    let changed = changed.json::<Value>()["data"].clone();
    // As strings, times with different numbers of digits cannot be ordered.
    assert_ne!(changed["updated_at"], animal["updated_at"]);
    for (name, value) in [("weight_kg", Value::Null), ("tags", json!([]))] {
        animal[name] = value;
    }
    for name in ["updated_at", "version"] {
        animal[name] = changed[name].clone();
    }
    assert_eq!(changed, animal);
    patch(json!({"name": "Bo"})).assert_status(412).assert_documented();
    client.delete(&path).header("If-Match", tag).send().assert_status(412).assert_documented();

    client.delete(&path).send().assert_status(204).assert_documented();
    for response in [client.get(&path).send(), client.patch(&path).json(&json!({})).send(), client.delete(&path).send()]
    {
        response.assert_status(404).assert_documented();
    }
}

#[test]
fn checks_every_bound_of_an_animal() {
    let client = client();
    let text = |length| Value::from("😺".repeat(length));
    for (name, admitted, refused) in [
        ("name", vec![text(1), text(100)], vec![(text(0), "min_length"), (text(101), "max_length")]),
        ("species", vec!["bird".into(), "dog".into()], vec![("cow".into(), "enum"), (Value::Null, "null")]),
        ("weight_kg", vec![json!(0), Value::Null], vec![(json!(-0.001), "minimum"), (json!("4"), "type")]),
        ("born_on", vec!["2024-02-29".into(), Value::Null], vec![("2023-02-29".into(), "format")]),
        ("tags", vec![json!([]), vec!["x".repeat(30); 10].into()], vec![(vec!["x"; 11].into(), "max_items")]),
    ] {
        let with = |value: Value| {
            let mut animal = ada();
            animal[name] = value;
            animal
        };
        for value in admitted {
            let path = created(&client, &with(value.clone()));
            client.patch(&path).json(&json!({ name: value })).send().assert_status(200).assert_documented();
        }
        for (value, code) in refused {
            let response = client.post("/animals").json(&with(value)).send();
            response.assert_status(422).assert_documented();
            assert_eq!(violations(&response), expected(&[(&format!("/{name}"), code)]));
        }
    }
    created(&client, &json!({"name": "Bo", "species": "dog"}));
}

#[test]
fn rejects_invalid_bodies_of_animals() {
    let client = client();
    let path = created(&client, &ada());
    let id = path.trim_start_matches("/animals/");
    for (body, found) in [
        (json!({"name": "a\0b", "species": "cat"}), ("/name", "invalid")),
        (json!({"name": "Bo", "species": "cat", "tags": ["a\0b"]}), ("/tags/0", "invalid")),
        (json!({"name": "Bo", "species": "cat", "colour": "red"}), ("/colour", "unknown_property")),
        (json!({"name": "Bo", "species": "cat", "id": id}), ("/id", "unknown_property")),
        (json!({"name": "Bo"}), ("/species", "required")),
    ] {
        let response = client.post("/animals").json(&body).send();
        response.assert_status(422).assert_documented();
        assert_eq!(violations(&response), expected(&[found]));
    }
    let refused = client.patch(&path).json(&json!({"version": 1, "name": null})).send();
    refused.assert_status(422).assert_documented();
    client.post("/animals").body("application/json", "{").send().assert_status(400).assert_documented();
    client.post("/animals").body("text/plain", "{}").send().assert_status(415).assert_documented();
    client.get("/animals").header("Accept", "text/plain").send().assert_status(406).assert_documented();
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(3_000_000));
    client.post("/animals").body("application/json", large).send().assert_status(413).assert_documented();
}

#[test]
fn animals_are_listed_with_filters_orders_and_pages() {
    let client = client();
    for (name, species, weight) in [
        ("Ada", "cat", json!(4.2)),
        ("Bo", "dog", json!(30)),
        (r"%_\🦊", "bird", json!(0)),
        ("adam", "dog", json!(null)),
    ] {
        created(&client, &json!({"name": name, "species": species, "weight_kg": weight}));
    }
    assert_eq!(names(&client, ""), ["adam", r"%_\🦊", "Bo", "Ada"], "the last one first");
    assert_eq!(names(&client, "order_by=name&limit=2&page=2"), ["Bo", "adam"]);
    assert_eq!(names(&client, "name[contains]=AD&order_by=created_at"), ["Ada", "adam"]);
    assert_eq!(names(&client, "name=%25_%5C%F0%9F%A6%8A"), [r"%_\🦊"]);
    assert_eq!(names(&client, "name[contains]=%25_%5C"), [r"%_\🦊"]);
    assert_eq!(names(&client, "name[contains]=%25a"), [""; 0]);
    assert_eq!(names(&client, "species[in]=bird,cat&order_by=-name"), ["Ada", r"%_\🦊"]);
    assert_eq!(names(&client, "species=dog&weight_kg[gt]=4.2"), ["Bo"]);
    assert_eq!(names(&client, "weight_kg[lt]=4.2"), [r"%_\🦊"]);
    let list: Value = client.get("/animals?limit=3").send().json();
    assert_eq!(list["data"][0].get("weight_kg"), None);
    assert_eq!((&list["pagination"]["total"], &list["pagination"]["has_more"]), (&json!(4), &json!(true)));

    let refused = client.get("/animals?filter[tags]=x&weight_kg[gt]=x&order_by=species&limit=101").send();
    refused.assert_status(422).assert_documented();
    let mut codes: Vec<_> = violations(&refused).into_iter().map(|(_, code)| code).collect();
    codes.sort();
    assert_eq!(codes, ["maximum", "type", "unknown_filter", "unknown_sort_field"]);
}

#[test]
fn animals_are_rate_limited() {
    let client =
        TestClient::new(animals::api_for(&Authentication::default(), 1, animals::store_at("sqlite::memory:")).unwrap());
    client.get("/health").send().assert_status(200);
    client.get("/animals").send().assert_problem("rate_limited").assert_documented();
}

/// README states the number of lines of the resource.
#[test]
fn readme_states_the_lines_of_the_resource() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let counted = Command::new("bash").arg(root.join("examples/animals/count_lines.sh")).output().unwrap();
    let lines: u32 = String::from_utf8(counted.stdout).unwrap().trim().parse().unwrap();
    assert!((1..=30).contains(&lines), "{lines}");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let said = format!("are {lines} lines (`bash examples/animals/count_lines.sh`)");
    assert!(readme.contains(&said), "README.md does not say: {said}");
}
