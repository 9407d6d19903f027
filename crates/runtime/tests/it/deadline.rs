//! Deadlines of steps before the controller.

use std::future::pending;
use std::time::Duration;

use restwright_core::auth::{Access, Authentication, Authenticator, AuthorizationContext, Decision, Identity, Policy};
use restwright_core::http::{HttpRequest, StatusCode, header};
use restwright_core::operation::SecurityScheme;
use restwright_core::{Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;

/// Looks up `Authorization: Test <subject>` in a database that never responds for `nobody`.
struct LookUp;

impl Authenticator for LookUp {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("test")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&header::AUTHORIZATION).and_then(|value| value.strip_prefix("Test ")) {
            None => Authentication::NoCredentials,
            Some("nobody") => pending().await,
            Some(subject) => {
                let identity = Identity::builder(subject).build();
                // A database that responds after a while.
                tokio::task::yield_now().await;
                Authentication::Identity(identity)
            }
        }
    }
}

/// Never decides about `bob`.
struct Undecided;

impl Policy for Undecided {
    async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
        match authorization.identity().subject() {
            Some("bob") => pending().await,
            _ => Ok(Decision::Allow),
        }
    }
}

struct Done(Route);

impl Controller for Done {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone().empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

#[test]
fn ends_authenticators_and_policies_at_the_deadline() {
    let configuration = Configuration::new("late", "1.0.0")
        .authenticator("test", LookUp)
        .deadline(Duration::from_millis(20))
        .max_concurrent(1);
    let route = Route::get("/").id("done").access(Access::authenticated("test").policy(Undecided));
    let client = TestClient::new(Api::builder(configuration).controller(Done(route)).build().unwrap());
    for (subject, status) in [("nobody", 503), ("bob", 503), ("ann", 204)] {
        let response = client.get("/").header("Authorization", format!("Test {subject}")).send();
        response.assert_status(status).assert_documented();
        if status == 503 {
            response.assert_problem("deadline_exceeded").assert_header("Retry-After", "1");
        }
    }
}
