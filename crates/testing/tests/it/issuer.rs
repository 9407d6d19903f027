//! Tokens of a test issuer.

use std::time::Duration;

use restwright::prelude::*;
use restwright_auth::{JwtAuthenticator, KeySet};
use restwright_runtime::core::Clock;
use restwright_testing::{TestClient, TestIssuer};

struct Pets;

#[derive(Request)]
struct PetsRequest;

/// Nothing.
#[derive(Response)]
#[response(status = 204)]
struct PetsResponse;

impl Controller for Pets {
    type Request = PetsRequest;
    type Response = PetsResponse;

    fn route(&self) -> Route {
        Route::get("/pets").authorize("jwt", ["pets:read"])
    }

    async fn handle(&self, _: PetsRequest) -> Result<PetsResponse> {
        Ok(PetsResponse)
    }
}

fn client(jwt: JwtAuthenticator) -> TestClient {
    let configuration = Configuration::new("pets", "1.0.0").authenticator("jwt", jwt);
    TestClient::new(Api::builder(configuration).controller(Pets).build().unwrap())
}

#[test]
fn tokens_are_accepted_with_the_claims_that_they_are_given() {
    let issuer = TestIssuer::new("https://issuer.test").audience("pets");
    let strict = JwtAuthenticator::new(issuer.issuer()).access_tokens_only().require_claim("client_id");
    let client = client(strict);
    let ann = issuer.token("ann").scopes(["pets:feed", "pets:read"]).claim("client_id", "web");
    for (token, status) in [
        (ann.clone(), 204),
        (ann.clone().scopes([]), 403),
        (ann.clone().claim("client_id", serde_json::Value::Null), 401),
        (ann.clone().claim("aud", "cats"), 401),
        (ann.clone().expires_in(Duration::from_secs(1)), 204),
        (ann.clone().expired(), 401),
        (TestIssuer::new("https://issuer.test").audience("pets").token("ann").scopes(["pets:read"]), 401),
        (TestIssuer::new("https://other.test").audience("pets").token("ann").scopes(["pets:read"]), 401),
    ] {
        client.get("/pets").bearer(&token).send().assert_status(status).assert_documented();
    }
    assert_eq!(KeySet::from_json(issuer.key_set().as_bytes()).unwrap().len(), 1);
}

#[test]
fn tokens_expire_by_the_clock() {
    let clock = Clock::manual(1_700_000_000);
    let issuer = TestIssuer::new("https://issuer.test").clock(clock.clone());
    let client = client(issuer.authenticator().clock(clock.clone()));
    let token = issuer.token("ann").scopes(["pets:read"]).to_string();
    client.get("/pets").bearer(&token).send().assert_status(204);
    clock.advance(Duration::from_secs(3_600 + 60));
    client.get("/pets").bearer(&token).send().assert_status(401);
}
