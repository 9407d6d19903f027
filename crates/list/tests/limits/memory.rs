//! Limits in memory, by a clock that stands still.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use restwright::core::auth::{Access, Authentication, Authenticator, Identity, Rejection};
use restwright::core::http::{HttpRequest, HttpResponse, StatusCode, header};
use restwright::core::operation::{Operation, SecurityScheme};
use restwright::core::problem::Location;
use restwright::core::schema::boolean;
use restwright::core::{
    AfterAuthentication, Api, ApiBuilder, Clock, Configuration, Controller, Group, Input, Middleware, Next, Output,
    Result, Route, Stage, StartErrors,
};
use restwright::testing::{TestClient, TestResponse};
use restwright_list::address::TrustedProxies;
use restwright_list::rate_limit::{
    Caller, MemoryStore, Quota, RateLimit, RateLimitKey, RateLimitStore, RateLimitStrategy, RedisStore, WhenUnavailable,
};

/// Answers 204, or panics.
pub(crate) struct Act(pub(crate) Route);

impl Controller for Act {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let route = self.0.clone().operation_id(self.0.path().trim_start_matches('/').to_owned());
        route.parameter(Location::Query, boolean("panic").optional()).empty_response(204)
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        assert!(!input.parameters().contains("panic"), "the controller panicked");
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

/// Takes `X-Key: <subject>`, or another header; those that begin with `wrong` are refused.
struct Keys(&'static str);

impl Authenticator for Keys {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::ApiKey { location: Location::Header, name: self.0.into(), description: None }
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
struct Names;

impl Authenticator for Names {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::Http { scheme: "test".into(), bearer_format: None, description: None }
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match request.header(&header::AUTHORIZATION).and_then(|value| value.strip_prefix("Test ")) {
            Some(name) => Authentication::Identity(Identity::builder(name).issuer("tests").build()),
            None => Authentication::NoCredentials,
        }
    }
}

struct Scene {
    client: TestClient,
    clock: Clock,
    store: Arc<MemoryStore>,
}

fn scene(declare: impl FnOnce(&mut ApiBuilder)) -> Scene {
    let clock = Clock::manual(0);
    let store = Arc::new(MemoryStore::new().clock(clock.clone()));
    let configuration = Configuration::new("limits", "1.0.0")
        .with(RateLimitStore::from(store.clone()))
        .authenticator("key", Keys("X-Key"))
        .authenticator("other", Keys("X-Other"))
        .authenticator("name", Names);
    let mut builder = Api::builder(configuration);
    declare(&mut builder);
    Scene { client: TestClient::new(builder.build().unwrap()), clock, store }
}

/// A public route with a limit.
fn limited(path: &str, limit: RateLimit) -> Act {
    Act(Route::get(path).public().middleware(limit))
}

impl Scene {
    fn send(&self, path: &str, peer: &str, headers: &[(&str, &str)]) -> TestResponse {
        let peer = SocketAddr::new(peer.parse().unwrap(), 40000);
        let request =
            headers.iter().fold(self.client.get(path).peer(peer), |request, (name, value)| request.header(name, value));
        let answer = request.send();
        answer.assert_documented();
        answer
    }

    /// Sends one request after the other and compares the statuses.
    fn check(&self, path: &str, requests: &[(&str, &[(&str, &str)])], expected: &[u16]) {
        let statuses: Vec<_> =
            requests.iter().map(|(peer, headers)| self.send(path, peer, headers).status().as_u16()).collect();
        assert_eq!(statuses, expected, "{path} {requests:?}");
    }
}

/// Limit, remaining and reset, and what `Retry-After` says.
fn numbers(answer: &TestResponse) -> [Option<u64>; 4] {
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"]
        .map(|name| answer.header(name).map(|value| value.parse().unwrap()))
}

const ONE: &str = "198.51.100.1";
const TWO: &str = "198.51.100.2";

#[test]
fn every_answer_says_how_the_client_stands() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_minute(60).burst(3))));
    });
    let next = |path: &str| scene.send(path, ONE, &[]);
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(2), Some(1), None]);
    assert_eq!(numbers(next("/a?panic=true").assert_status(500)), [Some(3), Some(1), Some(2), None]);
    assert_eq!(numbers(next("/a?panic=perhaps").assert_status(422)), [Some(3), Some(0), Some(3), None]);
    let refused = next("/a");
    refused.assert_status(429).assert_problem("rate_limited");
    assert_eq!(numbers(&refused), [Some(3), Some(0), Some(3), Some(1)]);
    assert!(refused.text().contains("The limit `a` admits no more requests for now."), "{}", refused.text());
    scene.clock.advance(Duration::from_millis(999));
    next("/a").assert_status(429);
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(0), Some(3), None]);
    scene.clock.advance(Duration::from_secs(3600));
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(2), Some(1), None]);
}

#[test]
fn addresses_have_buckets_of_their_own() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_minute(1))));
    });
    scene.check("/a", &[(ONE, &[]), (ONE, &[]), (TWO, &[]), ("::ffff:198.51.100.2", &[])], &[204, 429, 204, 429]);
    scene.check("/a", &[("2001:db8::1", &[]), ("2001:db8::ffff:1", &[]), ("2001:db8:0:1::1", &[])], &[204, 429, 204]);
    scene.check("/a", &[(ONE, &[("X-Forwarded-For", "7.7.7.7")])], &[429]);
    assert_eq!(scene.store.keys(), 4);
}

#[test]
fn a_global_limit_and_one_by_header() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::global("a", Quota::per_minute(2))))
            .controller(limited("/b", RateLimit::by_header("b", "X-Tenant", Quota::per_minute(1))));
    });
    scene.check("/a", &[(ONE, &[]), (TWO, &[]), (ONE, &[])], &[204, 204, 429]);
    let (x, y): (&[_], &[_]) = (&[("X-Tenant", "x")], &[("X-Tenant", "y")]);
    scene.check(
        "/b",
        &[(ONE, x), (TWO, x), (TWO, y), (ONE, &[]), (ONE, &[]), (TWO, &[])],
        &[204, 429, 204, 204, 429, 204],
    );
}

#[test]
fn identities_are_charged_when_they_are_known_and_allowed() {
    let scene = scene(|api| {
        let limit = RateLimit::per_identity("a", Quota::per_minute(1));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit.clone())))
            .controller(Act(Route::get("/b").optional("name").middleware(limit)));
    });
    let (ann, bob): (&[_], &[_]) = (&[("Authorization", "Test ann")], &[("Authorization", "Test bob")]);
    scene.check("/a", &[(ONE, ann), (TWO, ann), (ONE, bob), (ONE, &[]), (ONE, &[])], &[204, 429, 204, 401, 401]);
    // Limits of one name share their buckets.
    scene.check("/b", &[(ONE, ann), (ONE, &[]), (ONE, &[]), (TWO, &[])], &[429, 204, 429, 204]);
    assert_eq!(numbers(&scene.send("/a", ONE, &[])), [None; 4]);
}

#[test]
fn api_keys_are_charged_when_they_are_accepted() {
    let scene = scene(|api| {
        let limit = RateLimit::per_api_key("a", "key", Quota::per_minute(1));
        api.controller(Act(Route::get("/a").authorize("key", [""; 0]).middleware(limit)));
    });
    let (one, two, wrong): (&[_], &[_], &[_]) = (&[("X-Key", "ann/1")], &[("X-Key", "ann/2")], &[("X-Key", "wrong")]);
    scene.check("/a", &[(ONE, one), (TWO, one), (ONE, two), (ONE, wrong), (ONE, wrong)], &[204, 429, 204, 401, 401]);
    assert_eq!(scene.store.keys(), 2);
}

/// What stands where keys travel is nobody's while another scheme let the caller in.
#[test]
fn api_keys_that_nobody_verified_have_no_bucket() {
    let scene = scene(|api| {
        let limit = RateLimit::per_api_key("a", "key", Quota::per_minute(2));
        let access = Access::authenticated("name").or("key");
        api.controller(Act(Route::get("/a").access(access).middleware(limit.clone()))).controller(Act(Route::get(
            "/b",
        )
        .access(Access::authenticated("name").and("key"))
        .middleware(limit)));
    });
    let ann = ("Authorization", "Test ann");
    let made_up = ["1", "2", "3"].map(|key| [ann, ("X-Key", key)]);
    let requests: Vec<_> = made_up.iter().map(|headers| (ONE, &headers[..])).collect();
    scene.check("/a", &requests, &[204, 204, 429]);
    assert_eq!(scene.store.keys(), 1, "the address");
    let key: &[_] = &[("X-Key", "ann/1")];
    scene.check("/a", &[(ONE, key), (TWO, key)], &[204, 204]);
    let both: &[_] = &[ann, ("X-Key", "ann/1")];
    scene.check("/b", &[(ONE, both), (ONE, &[ann, ("X-Key", "ann/2")])], &[429, 204]);
}

/// A subject means nothing without who vouches for it: the issuer, or where there is none the scheme.
#[test]
fn identities_of_one_subject_are_not_one_caller() {
    let scene = scene(|api| {
        let limit = RateLimit::per_identity("a", Quota::per_minute(1));
        let access = Access::authenticated("key").or("other").or("name");
        api.controller(Act(Route::get("/a").access(access).middleware(limit)));
    });
    let by = |headers: &'static [(&'static str, &'static str)]| (ONE, headers);
    let (key, other) = (by(&[("X-Key", "ann")]), by(&[("X-Other", "ann")]));
    let name = by(&[("Authorization", "Test ann")]);
    scene.check("/a", &[key, other, name, key, other, name], &[204, 204, 204, 429, 429, 429]);
}

#[test]
fn several_are_charged_in_order_until_one_refuses() {
    let scene = scene(|api| {
        let wide = RateLimit::per_ip("wide", Quota::per_minute(4));
        let narrow = RateLimit::global("narrow", Quota::per_minute(2));
        let last = RateLimit::per_ip("last", Quota::per_minute(60));
        api.middleware(wide.clone())
            .group(Group::new("").middleware(narrow).controller(limited("/a", last.clone())))
            .controller(limited("/last", last))
            .controller(Act(Route::get("/wide").public()));
    });
    let next = |path: &str| numbers(&scene.send(path, ONE, &[]));
    assert_eq!(next("/a"), [Some(2), Some(1), Some(30), None], "the tightest is reported");
    assert_eq!(next("/a"), [Some(2), Some(0), Some(60), None]);
    assert_eq!(next("/a"), [Some(2), Some(0), Some(60), Some(30)]);
    // The third was charged to the first limit, refused by the second, and not charged to the last.
    assert_eq!(next("/wide"), [Some(4), Some(0), Some(60), None]);
    assert_eq!(next("/a"), [Some(4), Some(0), Some(60), Some(15)], "the first refusal ends it");
    assert_eq!(numbers(&scene.send("/last", TWO, &[])), [Some(4), Some(3), Some(15), None]);
    let explained = scene.client.api().explain();
    assert!(explained.contains("rate limit wide > rate limit narrow > rate limit last > controller"), "{explained}");
}

#[test]
fn limits_by_address_come_before_credentials_and_the_tightest_of_both_is_reported() {
    let scene = scene(|api| {
        api.controller(Act(Route::get("/a")
            .authorize("name", [""; 0])
            .middleware(RateLimit::per_identity("identity", Quota::per_minute(2)))
            .middleware(RateLimit::per_ip("address", Quota::per_minute(3)))));
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    assert_eq!(numbers(&scene.send("/a", ONE, ann)), [Some(2), Some(1), Some(30), None]);
    assert_eq!(numbers(scene.send("/a", ONE, &[]).assert_status(401)), [Some(3), Some(1), Some(40), None]);
    assert_eq!(numbers(scene.send("/a", ONE, ann).assert_status(204)), [Some(3), Some(0), Some(60), None]);
    assert_eq!(numbers(scene.send("/a", ONE, &[]).assert_status(429)), [Some(3), Some(0), Some(60), Some(20)]);
    assert_eq!(numbers(scene.send("/a", TWO, ann).assert_status(429)), [Some(2), Some(0), Some(60), Some(30)]);
}

#[test]
fn an_address_can_be_charged_after_authentication() {
    let scene = scene(|api| {
        let limit = RateLimit::per_ip("a", Quota::per_minute(1)).after_authentication();
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit)));
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    scene.check("/a", &[(ONE, &[]), (ONE, ann), (ONE, ann), (ONE, &[])], &[401, 204, 429, 401]);
}

/// Charges what `X-Cost` says; `X-Free` is not counted; `X-Burst` says how much at once; whoever has a name has more.
struct Custom;

impl RateLimitStrategy for Custom {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        let counted = caller.request().header(&"x-free".parse().unwrap()).is_none();
        counted.then(RateLimitKey::whole)
    }

    fn cost(&self, caller: &Caller<'_>) -> u32 {
        caller.request().header(&"x-cost".parse().unwrap()).map_or(1, |cost| cost.parse().unwrap())
    }

    fn quota(&self, caller: &Caller<'_>) -> Quota {
        let quota = if caller.identity().is_guest() { Quota::per_minute(10) } else { Quota::per_minute(60) };
        let burst = caller.request().header(&"x-burst".parse().unwrap());
        burst.map_or(quota, |burst| quota.burst(burst.parse().unwrap()))
    }
}

#[test]
fn strategies_decide_key_cost_and_quota() {
    let scene = scene(|api| {
        api.controller(Act(Route::get("/a").optional("name").middleware(RateLimit::custom("a", Custom))));
    });
    let next = |headers: &[(&str, &str)]| numbers(&scene.send("/a", ONE, headers));
    assert_eq!(next(&[("X-Cost", "7")]), [Some(10), Some(3), Some(42), None]);
    assert_eq!(next(&[("X-Cost", "4")]), [Some(10), Some(3), Some(42), Some(6)]);
    assert_eq!(next(&[("X-Cost", "0")]), [Some(10), Some(3), Some(42), None]);
    assert_eq!(next(&[("X-Free", "yes"), ("X-Cost", "4")]), [None; 4]);
    assert_eq!(next(&[("X-Cost", "4"), ("Authorization", "Test ann")]), [Some(60), Some(14), Some(46), None]);
    let refused = scene.send("/a", ONE, &[("X-Cost", "11")]);
    assert!(
        refused.assert_status(429).text().contains("This request counts as 11, and the limit `a` admits 10 at once.")
    );
    assert_eq!(refused.header("retry-after"), None, "it is never admitted");
    let refused = scene.send("/a", ONE, &[("X-Burst", "0")]);
    assert_eq!(numbers(refused.assert_status(429)), [Some(0), Some(0), Some(46), None]);
}

#[test]
fn a_bucket_that_owes_more_than_it_holds_says_how_long() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::custom("a", Custom)));
    });
    assert_eq!(numbers(&scene.send("/a", ONE, &[("X-Cost", "10")])), [Some(10), Some(0), Some(60), None]);
    let small: &[_] = &[("X-Burst", "2")];
    assert_eq!(numbers(&scene.send("/a", ONE, small)), [Some(2), Some(0), Some(60), Some(54)]);
    scene.clock.advance(Duration::from_millis(53_999));
    assert_eq!(numbers(&scene.send("/a", ONE, small)), [Some(2), Some(0), Some(7), Some(1)]);
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(numbers(scene.send("/a", ONE, small).assert_status(204)), [Some(2), Some(0), Some(12), None]);
}

#[test]
fn made_up_headers_take_no_place_from_addresses() {
    let clock = Clock::manual(0);
    let store = Arc::new(MemoryStore::new().clock(clock.clone()).max_keys(100));
    let configuration = Configuration::new("limits", "1.0.0").with(RateLimitStore::from(store.clone()));
    let api = Api::builder(configuration)
        .controller(limited("/tenants", RateLimit::by_header("tenants", "X-Tenant", Quota::per_minute(1))))
        .controller(limited("/a", RateLimit::per_ip("a", Quota::per_minute(1))))
        .build();
    let scene = Scene { client: TestClient::new(api.unwrap()), clock, store };
    for number in 0..1000 {
        scene.send("/tenants", ONE, &[("X-Tenant", &number.to_string())]);
    }
    assert_eq!(scene.store.keys(), 50);
    scene.check("/a", &[(ONE, &[]), (ONE, &[]), (TWO, &[]), (TWO, &[])], &[204, 429, 204, 429]);
}

/// Lets requests with `X-Pass` go round what it is around.
struct Unless<M>(M);

impl<M: Middleware> Middleware for Unless<M> {
    fn stage(&self) -> Stage {
        self.0.stage()
    }

    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), StartErrors> {
        self.0.plan(operation, configuration)
    }

    fn describe(&self, operation: &mut Operation) {
        self.0.describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        match request.header(&"x-pass".parse().unwrap()) {
            Some(_) => Ok(next.run(request).await),
            None => self.0.handle(request, next).await,
        }
    }
}

#[test]
fn a_way_round_one_limit_is_none_round_those_behind_it() {
    let scene = scene(|api| {
        let route =
            Route::get("/a").optional("name").middleware(Unless(RateLimit::global("first", Quota::per_minute(9))));
        let route = route.middleware(RateLimit::per_ip("second", Quota::per_minute(3)));
        let route = route.middleware(RateLimit::per_ip("third", Quota::per_minute(2)));
        api.controller(Act(route.middleware(RateLimit::per_identity("last", Quota::per_minute(5)))));
    });
    let pass: &[_] = &[("X-Pass", "yes")];
    let next = |headers| numbers(&scene.send("/a", ONE, headers));
    assert_eq!(next(pass), [Some(2), Some(1), Some(30), None]);
    assert_eq!(next(&[]), [Some(2), Some(0), Some(60), None]);
    assert_eq!(next(pass), [Some(2), Some(0), Some(60), Some(30)]);
    assert_eq!(next(&[]), [Some(3), Some(0), Some(60), Some(20)]);
}

/// Comes first of all, whatever it is around.
struct Outermost(RateLimit);

impl Middleware for Outermost {
    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), StartErrors> {
        self.0.plan(operation, configuration)
    }

    fn describe(&self, operation: &mut Operation) {
        self.0.describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

#[test]
fn a_limit_on_the_api_counts_what_is_routed() {
    let limit = || RateLimit::per_ip("clients", Quota::per_minute(1));
    for outermost in [false, true] {
        let scene = scene(|api| {
            if outermost {
                api.middleware(Outermost(limit()))
            } else {
                api.middleware(limit())
            };
            api.controller(Act(Route::get("/a").public()));
        });
        let lost = scene.client.get("/lost").send();
        assert_eq!(numbers(lost.assert_status(404)), [None; 4]);
        assert_eq!(numbers(scene.client.post("/a").send().assert_status(405)), [None; 4]);
        scene.check("/a", &[(ONE, &[]), (ONE, &[])], &[204, 429]);
    }
}

/// A request that authentication refuses is charged to no limit behind it.
#[test]
fn a_limit_is_charged_where_what_is_around_it_stands() {
    let scene = scene(|api| {
        let late = AfterAuthentication(RateLimit::per_ip("late", Quota::per_minute(1)));
        let early = RateLimit::global("early", Quota::per_minute(3));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(late).middleware(early)));
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    scene.check("/a", &[(ONE, &[]), (ONE, ann), (ONE, ann), (ONE, ann)], &[401, 204, 429, 429]);
}

#[test]
fn one_stage_and_two_report_the_same_limit() {
    for late in [false, true] {
        let scene = scene(|api| {
            let slow = RateLimit::per_ip("slow", Quota::per_minute(10));
            let fast = RateLimit::global("fast", Quota::per_second(10));
            let fast = if late { fast.after_authentication() } else { fast };
            api.controller(Act(Route::get("/a").public().middleware(slow).middleware(fast)));
        });
        assert_eq!(numbers(&scene.send("/a", ONE, &[])), [Some(10), Some(9), Some(6), None], "{late}");
    }
}

#[test]
fn a_hundred_clients_at_once_get_the_quota_and_what_refills() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::global("a", Quota::per_minute(600).burst(250))));
    });
    let api = scene.client.api();
    let admitted = || -> usize {
        let client = || {
            let client = TestClient::new(api.clone());
            (0..10).filter(|_| client.get("/a").send().status() == 204).count()
        };
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..100).map(|_| scope.spawn(client)).collect();
            clients.into_iter().map(|client| client.join().unwrap()).sum()
        })
    };
    assert_eq!(admitted(), 250);
    assert_eq!(admitted(), 0);
    scene.clock.advance(Duration::from_millis(12_345));
    assert_eq!(admitted(), 123);
    scene.clock.advance(Duration::from_secs(3600));
    assert_eq!(admitted(), 250);
}

#[test]
fn mistakes_are_start_errors() {
    let errors = |declare: &dyn Fn(&mut ApiBuilder)| {
        let configuration = Configuration::new("limits", "1.0.0").authenticator("name", Names);
        let mut builder = Api::builder(configuration);
        declare(&mut builder);
        builder.build().unwrap_err().messages().join("\n")
    };
    let quota = Quota::per_second(1);
    for (limit, expected) in [
        (RateLimit::by_header("a", "not a header", quota), "`not a header` cannot be the name of a header"),
        (RateLimit::per_api_key("a", "none", quota), "the scheme `none` is not registered"),
        (RateLimit::per_api_key("a", "name", quota), "the scheme `name` has no API keys"),
    ] {
        let found = errors(&|api| {
            api.controller(limited("/a", limit.clone()));
        });
        assert!(found.contains("GET /a: the rate limit `a`: ") && found.contains(expected), "{found}");
    }
    for none in [Quota::per_minute(0), Quota::per_minute(0).burst(5), quota.burst(0)] {
        let found = errors(&|api| {
            api.controller(limited("/a", RateLimit::per_ip("a", none)));
        });
        assert!(
            found.contains("GET /a: the rate limit `a` has a quota of 0 requests, which refuses everybody"),
            "{found}"
        );
    }
    let early = errors(&|api| {
        let limit = Outermost(RateLimit::per_identity("a", quota));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit)));
    });
    assert!(early.contains("the middleware around it has to hand on `stage` too"), "{early}");
    let twice = errors(&|api| {
        api.middleware(RateLimit::global("a", quota)).controller(limited("/a", RateLimit::per_ip("a", quota)));
    });
    assert!(twice.contains("the rate limit `a` stands on this route twice"), "{twice}");
}

#[test]
fn mistakes_are_told_beside_each_other_and_each_once() {
    let quota = Quota::per_minute(0);
    let redis = RedisStore::new("http://localhost", WhenUnavailable::FailOpen);
    let configuration = Configuration::new("limits", "1.0.0")
        .with(RateLimitStore::from(redis))
        .with(TrustedProxies::new(["10.0.0.0/99"]));
    let errors = Api::builder(configuration)
        .middleware(RateLimit::per_api_key("all", "none", quota))
        .middleware(RateLimit::by_header("also all", "not a header", quota))
        .controller(Act(Route::get("/a").public()))
        .controller(Act(Route::get("/b").public()))
        .controller(limited("/c", RateLimit::per_ip("c", quota)))
        .build()
        .unwrap_err();
    let expected = [
        "GET /a: the Redis store has no valid URL",
        "GET /a: a trusted proxy: ",
        "GET /a: the rate limit `all`: the scheme `none` is not registered",
        "GET /a: the rate limit `all` has a quota of 0 requests",
        "GET /a: the rate limit `also all`: `not a header` cannot be the name of a header",
        "GET /c: the rate limit `c` has a quota of 0 requests",
    ];
    assert_eq!(errors.messages().len(), expected.len(), "{errors}");
    for (message, expected) in errors.messages().iter().zip(expected) {
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn limits_of_one_name_are_one_limit() {
    struct Custom;

    impl RateLimitStrategy for Custom {
        fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
            Some(caller.address_key())
        }

        fn quota(&self, _: &Caller<'_>) -> Quota {
            Quota::per_second(7)
        }
    }
    let quota = Quota::per_minute(600);
    let build = |limit: RateLimit| {
        let configuration = Configuration::new("limits", "1.0.0").authenticator("key", Keys("X-Key"));
        let first = RateLimit::per_ip("clients", quota);
        let search = Route::get("/b").authorize("key", [""; 0]).middleware(limit);
        Api::builder(configuration).controller(limited("/a", first)).controller(Act(search)).build()
    };
    for same in [
        RateLimit::per_ip("clients", Quota::per_second(10).burst(600)),
        RateLimit::per_ip("clients", quota).after_authentication(),
        RateLimit::per_ip("others", Quota::per_second(1)),
        RateLimit::custom("clients", Custom),
    ] {
        assert!(build(same).is_ok());
    }
    for (other, is) in [
        (RateLimit::per_ip("clients", quota.burst(5)), "5 requests by address, one more every 100ms,"),
        (RateLimit::per_ip("clients", Quota::per_hour(600)), "600 requests by address, one more every 6s,"),
        (RateLimit::per_identity("clients", quota), "600 requests by identity, one more every 100ms,"),
        (RateLimit::global("clients", quota), "600 requests together, one more every 100ms,"),
        (
            RateLimit::by_header("clients", "X-Tenant", quota),
            "600 requests by the header `x-tenant`, one more every 100ms,",
        ),
        (RateLimit::per_api_key("clients", "key", quota), "600 requests by key of `key`, one more every 100ms,"),
    ] {
        let message = build(other).unwrap_err().to_string();
        let expected = format!(
            "GET /b: the rate limit `clients` is {is} here and 600 requests by address, one more every 100ms, on GET /a; limits of one name share their buckets, so declare both alike, or give one of them another name"
        );
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn the_document_says_what_a_limited_route_answers() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_second(1))))
            .controller(Act(Route::get("/b").public()));
    });
    let described = |operation: &Operation| {
        let headers = operation.common_headers.iter().map(|header| header.name.clone());
        let limited = operation.problems.iter().any(|kind| kind.status == 429);
        (headers.filter(|name| name.starts_with("X-RateLimit-")).count(), limited)
    };
    let found: Vec<_> = scene.client.api().operations().map(described).collect();
    assert_eq!(found, [(3, true), (0, false)]);
}

/// Hands on everything but `plan`.
struct Forgetful(RateLimit);

impl Middleware for Forgetful {
    fn stage(&self) -> Stage {
        self.0.stage()
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

#[test]
fn a_limit_that_was_not_planned_lets_nobody_pass() {
    let scene = scene(|api| {
        let limit = Forgetful(RateLimit::per_ip("a", Quota::per_second(1)));
        api.controller(Act(Route::get("/a").public().middleware(limit)));
    });
    scene.check("/a", &[(ONE, &[])], &[500]);
}
