//! Keys of the endpoints of a resource.

use restwright::auth::Access;
use restwright::http::Method;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{Endpoints, MemoryStore};
use serde_json::{Value, json};

use super::{configuration, is_replay};
use crate::endpoints::Animal;

#[test]
fn a_middleware_of_the_api_covers_resources() {
    let animals = Endpoints::<Animal>::new(MemoryStore::new(), Access::authenticated("key"));
    let idempotency = Idempotency::new(MemoryIdempotencyStore::new());
    let api = Api::builder(configuration()).middleware(idempotency).module(&animals).build().unwrap();
    let client = TestClient::new(api);
    let create = |key: &str| {
        let request = client.post("/animals").header("X-Caller", "ann").header("Idempotency-Key", key);
        let response = request.json(&json!({"name": "Ada", "species": "dog"})).send();
        response.assert_documented();
        response
    };
    let (first, again) = (create("a"), create("a"));
    assert_eq!([&first, &again].map(|response| response.assert_status(201)).map(is_replay), [false, true]);
    assert_eq!(again.bytes(), first.bytes());
    for name in ["location", "etag"] {
        assert!(first.header(name).is_some() && again.header(name) == first.header(name), "{name}");
    }
    for expected in [false, true] {
        let conflict = create("b");
        conflict.assert_status(409).assert_problem("conflict");
        assert_eq!(is_replay(&conflict), expected);
    }
    let path = first.header("location").unwrap();
    client.get(path).header("X-Caller", "ann").send().assert_status(200).assert_documented();
    client.delete(path).header("X-Caller", "ann").send().assert_status(204).assert_documented();
    create("b").assert_status(409);
    create("c").assert_status(201);
}

#[test]
fn endpoints_that_are_not_idempotent_have_keys() {
    let endpoints = Endpoints::<Animal>::new(MemoryStore::new(), Access::authenticated("key")).batch();
    let endpoints = endpoints.idempotency(Idempotency::new(MemoryIdempotencyStore::new()));
    let client = TestClient::new(Api::builder(configuration()).module(&endpoints).build().unwrap());
    let send = |method: Method, path: &str, key: &str, body: &Value| {
        let request = client.request(method, path).header("X-Caller", "ann").header("Idempotency-Key", key);
        let response = request.json(body).send();
        response.assert_documented();
        response
    };
    let (post, patch) = (Method::POST, Method::PATCH);
    // Sends a request twice, and then another one with the same key.
    let twice = |method: &Method, path: &str, status: u16, body: Value, other: Value| {
        let first = send(method.clone(), path, "a", &body);
        let again = send(method.clone(), path, "a", &body);
        assert_eq!([&first, &again].map(|one| is_replay(one.assert_status(status))), [false, true], "{method} {path}");
        send(method.clone(), path, "a", &other).assert_status(422).assert_problem("idempotency_key_reused");
        if status == 204 { Value::Null } else { first.json::<Value>()["data"].clone() }
    };
    let named = |name: &str| json!({"name": name, "species": "dog"});
    let ada = twice(&post, "/animals", 201, named("Ada"), named("Bob"))["id"].clone();
    let several = json!({"data": [named("Eve"), named("Rex")]});
    let eve = twice(&post, "/animals/batch", 201, several, json!({"data": [named("Tom")]}))[0]["id"].clone();
    let path = format!("/animals/{}", ada.as_str().unwrap());
    twice(&patch, &path, 200, json!({"name": "Ida"}), json!({"name": "Uma"}));
    let change = |name: &str| json!({"data": [{"id": ada, "changes": {"name": name}}]});
    twice(&patch, "/animals/batch", 200, change("Ulf"), change("Jan"));
    let delete = |id: &Value| json!({"data": [{"id": id}]});
    twice(&post, "/animals/batch/delete", 204, delete(&eve), delete(&ada));
    let left = client.get("/animals?order_by=name").header("X-Caller", "ann").send().json::<Value>();
    let left: Vec<_> = left["data"].as_array().unwrap().iter().map(|animal| animal["name"].clone()).collect();
    assert_eq!(left, ["Rex", "Ulf"]);
    let with_keys = client
        .api()
        .operations()
        .filter(|operation| operation.parameters.iter().any(|parameter| parameter.name == "Idempotency-Key"));
    let mut with_keys: Vec<_> = with_keys.map(|operation| operation.id.as_str()).collect();
    with_keys.sort_unstable();
    assert_eq!(with_keys, ["createAnimal", "createAnimals", "deleteAnimals", "updateAnimal", "updateAnimals"]);
}

#[test]
fn a_repeated_json_patch_changes_an_entity_once() {
    let endpoints = Endpoints::<Animal>::new(MemoryStore::new(), Access::authenticated("key")).json_patch();
    let endpoints = endpoints.idempotency(Idempotency::new(MemoryIdempotencyStore::new()));
    let client = TestClient::new(Api::builder(configuration()).module(&endpoints).build().unwrap());
    let ann = |method: Method, path: &str| client.request(method, path).header("X-Caller", "ann");
    let created = ann(Method::POST, "/animals").json(&json!({"name": "Ada", "species": "dog"})).send();
    let path = created.assert_status(201).header("location").unwrap().to_owned();
    let body =
        r#"[{"op": "test", "path": "/name", "value": "Ada"}, {"op": "replace", "path": "/name", "value": "Ida"}]"#;
    let change = |key: &str| {
        let request = ann(Method::PATCH, &path).header("Idempotency-Key", key);
        request.body("application/json-patch+json", body).send()
    };
    assert!(!is_replay(change("a").assert_status(200)));
    assert!(is_replay(change("a").assert_status(200)));
    change("b").assert_status(409);
}
