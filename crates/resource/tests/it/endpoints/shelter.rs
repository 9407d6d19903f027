//! A shelter of animals, and requests to it.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::Endpoints;
use serde_json::{Value, json};

use super::animal::Animal;
use super::failing_store::FailingStore;

/// A shelter with public access, with Ada and her child Rex.
pub(crate) struct Shelter {
    pub(super) client: TestClient,
    pub(super) store: FailingStore,
    pub(super) ada: String,
    pub(super) rex: String,
    /// The tag of Ada, with its quotes.
    pub(super) tag: String,
}

impl Shelter {
    pub(super) fn new() -> Self {
        Self::with(|endpoints| endpoints)
    }

    pub(super) fn with(change: impl FnOnce(Endpoints<Animal>) -> Endpoints<Animal>) -> Self {
        let store = FailingStore::default();
        let endpoints = change(Endpoints::new(store.clone(), Access::public()));
        let client = TestClient::new(api(&endpoints));
        let create = |body: Value| {
            let response = client.post("/animals").json(&body).send();
            response.assert_status(201).assert_documented();
            (id(&response), response.header("etag").unwrap().to_owned())
        };
        let (ada, tag) = create(json!({"name": "Ada", "species": "dog", "weight_kg": 30.5}));
        let (rex, _) = create(json!({"name": "Rex", "species": "cat", "mother_id": ada}));
        Self { client, store, ada, rex, tag }
    }

    /// Sends a request such as `PATCH /animals/{ada}`, with headers such as `If-Match: {tag}`. The response must match the document.
    #[track_caller]
    pub(super) fn send(&self, request: &str, headers: &[&str], body: Option<&str>) -> TestResponse {
        let fill =
            |text: &str| text.replace("{ada}", &self.ada).replace("{rex}", &self.rex).replace("{tag}", &self.tag);
        let (method, path) = request.split_once(' ').unwrap();
        let mut sent = self.client.request(method.parse().unwrap(), fill(path));
        let mut content_type = "application/json".to_owned();
        for header in headers {
            let (name, value) = header.split_once(": ").unwrap();
            match name {
                "Content-Type" => content_type = value.to_owned(),
                _ => sent = sent.header(name, fill(value)),
            }
        }
        if let Some(body) = body {
            sent = sent.body(&content_type, fill(body));
        }
        let response = sent.send();
        response.assert_documented();
        response
    }
}

pub(crate) fn api(endpoints: &Endpoints<Animal>) -> Api {
    Api::builder(Configuration::new("shelter", "1.0.0")).module(endpoints).build().unwrap()
}

/// Returns the id of the animal in a response.
pub(crate) fn id(response: &TestResponse) -> String {
    response.json::<Value>()["data"]["id"].as_str().unwrap().to_owned()
}
