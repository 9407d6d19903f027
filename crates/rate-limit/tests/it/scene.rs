//! An Api with limits in memory on a manual clock.

use std::net::SocketAddr;
use std::sync::Arc;

use restwright::core::auth::{Authentication, Authenticator, Identity, Rejection};
use restwright::core::http::{HttpRequest, StatusCode, header};
use restwright::core::operation::{ApiKeyLocation, ParameterLocation, SecurityScheme};
use restwright::core::schema::boolean;
use restwright::core::{Clock, Configuration, Controller, Input, Output, Result, Route};
use restwright::testing::{TestClient, TestResponse};
use restwright::{Api, ApiBuilder};
use restwright_rate_limit::{MemoryLimiter, RateLimit};

/// Responds with 204, or panics.
pub(crate) struct Act(pub(crate) Route);

impl Controller for Act {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let route = self.0.clone().id(self.0.path().trim_start_matches('/').to_owned());
        route.parameter(ParameterLocation::Query, boolean("panic").optional()).empty_response(204)
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        assert!(!input.parameters().contains("panic"), "the controller panicked");
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

/// Takes `X-Key: <subject>`, or another header; those that begin with `wrong` are refused.
pub(crate) struct Keys(pub(crate) &'static str);

impl Authenticator for Keys {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, self.0)
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&self.0.parse().unwrap()) {
            None => Authentication::NoCredentials,
            Some(key) if key.starts_with("wrong") => Authentication::Rejected(Rejection::new("unknown")),
            // Two keys of one owner.
            Some(key) => {
                Authentication::Identity(Identity::builder(key.split('/').next().unwrap()).scopes([key]).build())
            }
        }
    }
}

/// Takes `Authorization: Test <subject>`.
pub(crate) struct Names;

impl Authenticator for Names {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::http("test")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&header::AUTHORIZATION).and_then(|value| value.strip_prefix("Test ")) {
            Some(name) => Authentication::Identity(Identity::builder(name).issuer("tests").build()),
            None => Authentication::NoCredentials,
        }
    }
}

pub(crate) struct Scene {
    pub(crate) client: TestClient,
    pub(crate) clock: Clock,
    pub(crate) store: Arc<MemoryLimiter>,
}

pub(crate) fn scene(declare: impl FnOnce(ApiBuilder) -> ApiBuilder) -> Scene {
    let clock = Clock::manual(0);
    let store = Arc::new(MemoryLimiter::new());
    let configuration = Configuration::new("limits", "1.0.0")
        .clock(clock.clone())
        .limiter_store(store.clone())
        .authenticator("key", Keys("X-Key"))
        .authenticator("other", Keys("X-Other"))
        .authenticator("name", Names);
    Scene { client: TestClient::new(declare(Api::builder(configuration)).build().unwrap()), clock, store }
}

/// A public route with a limit.
pub(crate) fn limited(path: &str, limit: RateLimit) -> Act {
    Act(Route::get(path).public().middleware(limit))
}

impl Scene {
    pub(crate) fn send(&self, path: &str, peer: &str, headers: &[(&str, &str)]) -> TestResponse {
        let peer = SocketAddr::new(peer.parse().unwrap(), 40000);
        let request =
            headers.iter().fold(self.client.get(path).peer(peer), |request, (name, value)| request.header(name, value));
        let response = request.send();
        response.assert_documented();
        response
    }

    /// Sends one request after the other and compares the statuses.
    pub(crate) fn check(&self, path: &str, requests: &[(&str, &[(&str, &str)])], expected: &[u16]) {
        let statuses: Vec<_> =
            requests.iter().map(|(peer, headers)| self.send(path, peer, headers).status().as_u16()).collect();
        assert_eq!(statuses, expected, "{path} {requests:?}");
    }
}

/// Returns the limit, what remains, the reset, and `Retry-After`.
pub(crate) fn numbers(response: &TestResponse) -> [Option<u64>; 4] {
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"]
        .map(|name| response.header(name).map(|value| value.parse().unwrap()))
}

pub(crate) const ONE: &str = "198.51.100.1";
pub(crate) const TWO: &str = "198.51.100.2";
