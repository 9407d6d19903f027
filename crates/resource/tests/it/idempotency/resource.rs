//! Keys of the endpoints of a resource.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{Endpoints, MemoryStore};
use serde_json::json;

use super::{configuration, is_replay};
use crate::endpoints::Animal;

#[test]
fn a_middleware_of_the_api_covers_resources() {
    let animals = Endpoints::<Animal, _>::new(MemoryStore::new(), Access::authenticated("key"));
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
fn creating_endpoints_have_keys() {
    let endpoints = Endpoints::<Animal, _>::new(MemoryStore::new(), Access::authenticated("key")).batch();
    let endpoints = endpoints.idempotency(Idempotency::new(MemoryIdempotencyStore::new()));
    let client = TestClient::new(Api::builder(configuration()).module(&endpoints).build().unwrap());
    for (path, body) in [
        ("/animals", json!({"name": "Ada", "species": "dog"})),
        ("/animals/batch", json!({"data": [{"name": "Eve", "species": "cat"}, {"name": "Rex", "species": "dog"}]})),
    ] {
        for expected in [false, true] {
            let request = client.post(path).header("X-Caller", "ann").header("Idempotency-Key", "a");
            let response = request.json(&body).send();
            assert_eq!(is_replay(response.assert_status(201).assert_documented()), expected, "{path}");
        }
    }
    let with_keys = |id: &str| {
        let operation = client.api().operations().find(|operation| operation.id == id).unwrap();
        operation.parameters.iter().any(|parameter| parameter.name == "Idempotency-Key")
    };
    let ids = ["createAnimal", "createAnimals", "updateAnimal", "listAnimals", "viewAnimal", "deleteAnimal"];
    assert_eq!(ids.map(with_keys), [true, true, false, false, false, false]);
}
