//! An Api with two tenants, `a` and `b`, and requests by them.

use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::list::CursorKey;
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, Resource};
use serde_json::{Value, json};

use super::counting_store::CountingStore;
use super::declare::{Contract, Customer, Invoice, Project, Task};

/// The credentials of a caller: `X-Caller: <claim tenant>`, or `X-Caller: <claim tenant> <permission>`. `-` means no tenant.
pub(crate) struct Callers;

impl Authenticator for Callers {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Caller")
    }

    fn challenge(&self) -> String {
        "Callers".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let Some(caller) = request.header(&HeaderName::from_static("x-caller")) else {
            return Authentication::NoCredentials;
        };
        let mut words = caller.split(' ');
        let claims = match words.next().unwrap_or_default() {
            "-" => json!({}),
            "null" => json!({"tenant": null}),
            "empty" => json!({"tenant": ""}),
            "7" => json!({"tenant": 7}),
            tenant => json!({"tenant": tenant}),
        };
        let identity = Identity::builder("ada").permissions(words).claims(claims.as_object().unwrap().clone());
        Authentication::Identity(identity.build())
    }
}

pub(crate) fn configuration() -> Configuration {
    Configuration::new("tenants", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers)
}

/// The endpoints of a resource that restricts callers to their tenant.
pub(crate) fn scoped<R: Resource>(store: &CountingStore) -> Endpoints<R> {
    Endpoints::new(store.clone(), Access::authenticated("caller")).scope_claim("tenant", "tenant")
}

/// All resources on one store.
pub(crate) struct Tenants {
    pub(crate) client: TestClient,
    pub(crate) store: CountingStore,
}

impl Tenants {
    pub(crate) fn new() -> Self {
        Self::with(configuration())
    }

    pub(crate) fn with(configuration: Configuration) -> Self {
        let store = CountingStore::default();
        let contracts = scoped::<Contract>(&store).put().batch().lift_scope("tenant", Mode::List, "auditor");
        let customers = scoped::<Customer>(&store).put().batch().delete_returns_entity();
        let customers = [Mode::View, Mode::Update, Mode::Delete]
            .into_iter()
            .fold(customers, |customers, mode| customers.lift_scope("tenant", mode, "auditor"));
        let api = Api::builder(configuration)
            .module(&customers)
            .module(&contracts)
            .module(&scoped::<Invoice>(&store).put().batch())
            .module(&scoped::<Project>(&store))
            .module(&scoped::<Task>(&store).put().batch());
        Self { client: TestClient::new(api.build().unwrap()), store }
    }

    /// Sends a request of a caller, such as `GET /contracts`. The response must match the document.
    #[track_caller]
    pub(crate) fn send(
        &self,
        caller: &str,
        request: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> TestResponse {
        let (method, path) = request.split_once(' ').unwrap();
        let mut sent = self.client.request(method.parse().unwrap(), path).header("X-Caller", caller);
        for (name, value) in headers {
            sent = sent.header(name, value);
        }
        if let Some(body) = body {
            sent = sent.json(&body);
        }
        let response = sent.send();
        response.assert_documented();
        response
    }

    /// Creates an entity and returns it as clients see it.
    #[track_caller]
    pub(crate) fn create(&self, caller: &str, path: &str, body: Value) -> Value {
        let response = self.send(caller, &format!("POST {path}"), &[], Some(body));
        response.assert_status(201).json::<Value>()["data"].clone()
    }

    /// Sends a request. Returns the status with the data of the response, or with the code and the pointers of the problem.
    #[track_caller]
    pub(crate) fn outcome(&self, caller: &str, request: &str, body: Option<Value>) -> (u16, Value) {
        outcome(&self.send(caller, request, &[], body))
    }
}

/// Returns the status of a response with its data, or with the code and the pointers of its problem.
pub(crate) fn outcome(response: &TestResponse) -> (u16, Value) {
    let status = response.status().as_u16();
    if response.bytes().is_empty() {
        return (status, Value::Null);
    }
    let body: Value = response.json();
    if status < 400 {
        return (status, body["data"].clone());
    }
    let errors = body["errors"].as_array().into_iter().flatten();
    let errors: Vec<_> =
        errors.map(|one| format!("{} {}", one["pointer"].as_str().unwrap(), one["code"].as_str().unwrap())).collect();
    (status, json!([body["code"], errors.join(", ")]))
}
