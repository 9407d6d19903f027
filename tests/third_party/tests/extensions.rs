//! Tests that an authenticator, a middleware and a part of a third party work like the framework's.

#![cfg(test)]

use restwright::http::StatusCode;
use restwright::testing::TestClient;
use restwright::{Api, Configuration, Controller, Result, Route};
use restwright_core::operation::Operation;
use restwright_core::{BuildContext, BuildErrorKind, BuildErrors, Output, Part, Reader, Request};
use restwright_third_party::{AccessCards, Position, ReleaseHeader};

struct NearbyRequest(Position);

impl Request for NearbyRequest {
    type Plan = <Position as Part>::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        Position::plan(context)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        Position::describe(plan, operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part::<Position>(plan).map(Self))
    }
}

struct Nearby;

impl Controller for Nearby {
    type Request = NearbyRequest;
    type Response = Output;

    fn route(&self) -> Route {
        Route::get("/nearby").authorize("card", [""; 0]).empty_response(204)
    }

    async fn handle(&self, NearbyRequest(position): NearbyRequest) -> Result<Output> {
        assert_eq!(position, Position { latitude: 52.5, longitude: 13.25 });
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

fn api(cards: AccessCards, release: &'static str) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("third party", "1.0.0").authenticator("card", cards);
    Api::builder(configuration).middleware(ReleaseHeader(release)).controller(Nearby).build()
}

#[test]
fn extensions_are_run_and_documented() {
    let client = TestClient::new(api(AccessCards::default().card("17", "ann"), "2026-11").unwrap());
    let near = "/nearby?latitude=52.5&longitude=13.25";
    for (path, card, status) in [
        (near, "17", 204),
        (near, "18", 401),
        ("/nearby?latitude=91&longitude=13.25", "17", 422),
        ("/nearby?latitude=1", "17", 422),
    ] {
        let response = client.get(path).header("X-Card", card).send();
        response.assert_status(status).assert_header("X-Release", "2026-11").assert_documented();
    }
    client.get(near).send().assert_status(401).assert_documented();
    client
        .get("/nearby?latitude=91")
        .header("X-Card", "17")
        .send()
        .assert_violations([("query", "/latitude", "maximum"), ("query", "/longitude", "required")]);
}

#[test]
fn mistakes_of_extensions_have_a_kind_and_a_place() {
    let errors = api(AccessCards::default(), "2026\n11").unwrap_err();
    let found: Vec<_> = errors.errors().iter().map(|error| (error.kind(), error.place(), error.message())).collect();
    assert_eq!(
        found,
        [
            (BuildErrorKind::Authenticator, Some("authenticator `card`"), "there is no card; add one with `card`"),
            (BuildErrorKind::Middleware, Some("GET /nearby"), "the release is no header value; use visible ASCII"),
        ]
    );
}
