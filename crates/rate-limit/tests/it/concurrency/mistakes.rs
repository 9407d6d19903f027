//! The declaration of concurrency limits.

use restwright::Api;
use restwright::core::http::{HttpRequest, HttpResponse};
use restwright::core::operation::Operation;
use restwright::core::{BuildContext, BuildErrors, Configuration, Middleware, Next, Result, Route, Stage};
use restwright::testing::TestClient;
use restwright_rate_limit::ConcurrencyLimit;

use crate::scene::{Act, Keys, Names, ONE, scene};

/// Forwards what it is told to.
struct Around {
    limit: ConcurrencyLimit,
    stage: bool,
    plan: bool,
}

impl Middleware for Around {
    fn stage(&self) -> Stage {
        if self.stage { self.limit.stage() } else { Stage::default() }
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if self.plan { self.limit.plan(context) } else { Ok(()) }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.limit.handle(request, next).await
    }
}

fn errors(route: impl FnOnce(Route) -> Route) -> String {
    let configuration =
        Configuration::new("limits", "1.0.0").authenticator("name", Names).authenticator("key", Keys("X-Key"));
    let first = Route::get("/a").public().middleware(ConcurrencyLimit::per_ip("clients", 2));
    let api = Api::builder(configuration).controller(Act(first)).controller(Act(route(Route::get("/b").public())));
    api.build().map_or_else(|errors| errors.messages().join("\n"), |_| String::new())
}

#[test]
fn mistakes_are_build_errors() {
    for (limit, expected) in [
        (
            ConcurrencyLimit::per_ip("a", 0),
            "GET /b: the concurrency limit `a` admits 0 requests, which refuses everybody; admit at least 1, or leave the limit out",
        ),
        (
            ConcurrencyLimit::by_header("a", "not a header", 1),
            "GET /b: the concurrency limit `a`: `not a header` cannot be the name of a header",
        ),
        (
            ConcurrencyLimit::per_api_key("a", "none", 1),
            "GET /b: the concurrency limit `a`: the scheme `none` is not registered; add `.authenticator(\"none\", ..)` to the configuration",
        ),
        (
            ConcurrencyLimit::per_api_key("a", "name", 1),
            "GET /b: the concurrency limit `a`: the scheme `name` has no API keys; use `per_identity` to count by caller",
        ),
        (
            ConcurrencyLimit::per_ip("clients", 3),
            "GET /b: the concurrency limit `clients` is 3 requests at a time by address here and 2 requests at a time by address on GET /a; limits of one name share their places, so declare both alike, or give one of them another name",
        ),
        (
            ConcurrencyLimit::custom("clients", 2, |caller| Some(caller.address_key())),
            "GET /b: the concurrency limit `clients` is 2 requests at a time by a custom key here and 2 requests at a time by address on GET /a; limits of one name share their places, so declare both alike, or give one of them another name",
        ),
        (ConcurrencyLimit::per_ip("clients", 2).after_authentication(), ""),
        (ConcurrencyLimit::per_api_key("a", "key", 1), ""),
    ] {
        assert_eq!(errors(|route| route.middleware(limit)), expected);
    }
    let twice =
        |route: Route| route.middleware(ConcurrencyLimit::global("a", 1)).middleware(ConcurrencyLimit::global("a", 1));
    assert_eq!(
        errors(twice),
        "GET /b: the concurrency limit `a` is on this route twice; give one of them another name"
    );
    let limit = ConcurrencyLimit::per_identity("a", 1);
    let early = errors(|route| route.middleware(Around { limit, stage: false, plan: true }));
    assert!(early.contains("the middleware around it must forward `stage` too"), "{early}");
}

#[test]
fn an_error_of_the_whole_api_is_reported_once() {
    let api = Api::builder(Configuration::new("limits", "1.0.0")).middleware(ConcurrencyLimit::per_ip("all", 0));
    let api = api.controller(Act(Route::get("/a").public())).controller(Act(Route::get("/b").public()));
    assert_eq!(api.build().unwrap_err().messages().len(), 1);
}

#[test]
fn a_limit_that_was_not_planned_lets_nobody_pass() {
    let limit = ConcurrencyLimit::per_ip("a", 1);
    let scene = scene(|api| {
        let around = Around { limit, stage: true, plan: false };
        api.controller(Act(Route::get("/a").public().middleware(around)))
    });
    scene.check("/a", &[(ONE, &[])], &[500]);
}

#[test]
fn the_document_describes_limited_routes() {
    let limit = ConcurrencyLimit::per_ip("a", 1);
    let api = Api::builder(Configuration::new("limits", "1.0.0"))
        .controller(Act(Route::get("/a").public().middleware(limit)))
        .controller(Act(Route::get("/b").public()))
        .build()
        .unwrap();
    let codes = |operation: &Operation| {
        operation
            .problems
            .iter()
            .filter(|kind| kind.status == 429)
            .map(|kind| kind.code.to_string())
            .collect::<Vec<_>>()
    };
    let found: Vec<_> = api.operations().map(codes).collect();
    assert_eq!(found, [vec!["concurrency_limited".to_owned()], Vec::new()]);
    let explained = api.explain().to_string();
    assert!(explained.contains("concurrency limit a"), "{explained}");
    TestClient::new(api).get("/a").send().assert_status(204).assert_documented();
}

#[test]
fn it_counts_before_authentication_as_far_as_its_key_is_known_then() {
    let custom = ConcurrencyLimit::custom("a", 1, |_| None);
    for (limit, stage) in [
        (ConcurrencyLimit::global("a", 1), Stage::AddressLimit),
        (ConcurrencyLimit::per_ip("a", 1), Stage::AddressLimit),
        (ConcurrencyLimit::by_header("a", "X-Tenant", 1), Stage::AddressLimit),
        (ConcurrencyLimit::per_ip("a", 1).after_authentication(), Stage::IdentityLimit),
        (ConcurrencyLimit::per_identity("a", 1), Stage::IdentityLimit),
        (ConcurrencyLimit::per_api_key("a", "key", 1), Stage::IdentityLimit),
        (custom, Stage::IdentityLimit),
    ] {
        assert_eq!(limit.stage(), stage, "{limit:?}");
    }
}
