//! The access to each operation.

use restwright::auth::{Access, Authentication, Authenticator, CrudAccess, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::{TestClient, assert_guests_only_at};
use restwright_resource::{Endpoints, MemoryStore};

use super::Animal;

/// Reads scopes from `X-Scopes`.
struct Scopes;

impl Authenticator for Scopes {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Scopes")
    }

    fn challenge(&self) -> String {
        "Scopes".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&HeaderName::from_static("x-scopes")) {
            None => Authentication::NoCredentials,
            Some(scopes) => Authentication::Identity(Identity::builder("ada").scopes(scopes.split(' ')).build()),
        }
    }
}

fn client(access: impl Into<CrudAccess>) -> TestClient {
    let configuration = Configuration::new("shelter", "1.0.0").authenticator("scopes", Scopes);
    let endpoints = Endpoints::<Animal>::new(MemoryStore::new(), access);
    TestClient::new(Api::builder(configuration).module(&endpoints).build().unwrap())
}

const ONE: &str = "/animals/01890000-0000-7000-8000-000000000000";

/// The method, the path, the required scope, and the status of an invalid request with this scope.
const OPERATIONS: [(&str, &str, &str, u16); 6] = [
    ("POST", "/animals", "animals:create", 415),
    ("GET", "/animals?limit=0", "animals:read", 422),
    ("QUERY", "/animals", "animals:read", 400),
    ("GET", ONE, "animals:read", 404),
    ("PATCH", ONE, "animals:update", 415),
    ("DELETE", ONE, "animals:delete", 404),
];

#[test]
fn each_operation_requires_its_scope() {
    let client = client(Access::crud("scopes", "animals"));
    let all = ["animals:create", "animals:read", "animals:update", "animals:delete"];
    for (method, path, scope, status) in OPERATIONS {
        let others: Vec<_> = all.into_iter().filter(|other| *other != scope).collect();
        for (scopes, expected) in [(None, 401), (Some(others.join(" ")), 403), (Some(scope.to_owned()), status)] {
            let mut request = client.request(method.parse().unwrap(), path);
            if let Some(scopes) = &scopes {
                request = request.header("X-Scopes", scopes);
            }
            let response = request.send();
            response.assert_documented();
            assert_eq!(response.status(), expected, "{method} {path} {scopes:?}");
            assert!(expected != 403 || response.text().contains(scope), "{response:?}");
        }
    }
    assert_guests_only_at(client.api(), [""; 0]);
}

#[test]
fn access_can_be_set_for_one_operation() {
    let access = Access::crud("scopes", "animals").with(Mode::List, Access::public());
    assert_guests_only_at(client(access).api(), ["GET /animals", "QUERY /animals"]);
    let all = [
        "POST /animals",
        "GET /animals",
        "QUERY /animals",
        "GET /animals/{id}",
        "PATCH /animals/{id}",
        "DELETE /animals/{id}",
    ];
    assert_guests_only_at(client(Access::public()).api(), all);
    assert_guests_only_at(client(Access::authenticated("scopes")).api(), [""; 0]);
}
