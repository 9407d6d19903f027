//! A custom store of limits decides, fails and runs like the stores of the framework.

mod table;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use restwright::Clock;
use restwright::extend::rate_limit::LimiterStore;
use restwright::prelude::*;
use restwright::rate_limit::{
    LimitedRequest, MemoryLimiter, Quota, RateLimit, RateLimitKey, RateLimitStrategy, WhenUnavailable,
};
use restwright::report::SampleValue;
use restwright::testing::{TestClient, TestResponse};

use table::TableLimiter;

/// Uses the costs and quotas in the request.
struct Told;

impl Told {
    fn number(caller: &LimitedRequest<'_>, name: &str) -> u32 {
        let text = caller.request().header(&name.parse().unwrap());
        text.map_or(1, |text| text.parse().unwrap())
    }
}

impl RateLimitStrategy for Told {
    fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
        (Self::number(caller, "x-exempt") == 1).then(|| caller.address_key())
    }

    fn cost(&self, caller: &LimitedRequest<'_>) -> u32 {
        Self::number(caller, "x-cost")
    }

    fn quota(&self, caller: &LimitedRequest<'_>) -> Quota {
        Quota::per_second(2).burst(Self::number(caller, "x-burst"))
    }

    fn before_authentication(&self) -> bool {
        true
    }
}

fn client(store: impl LimiterStore, clock: &Clock) -> TestClient {
    let handler = async |_: ()| Ok(Data(1));
    let api = Api::builder(Configuration::new("limits", "1.0.0").clock(clock.clone()).limiter_store(store))
        .middleware(RateLimit::per_ip("clients", Quota::per_minute(120).burst(40)))
        .controller(
            Route::get("/a")
                .id("a")
                .public()
                .middleware(RateLimit::by_header("tenants", "X-Tenant", Quota::per_second(1).burst(6)))
                .middleware(RateLimit::custom("told", Told))
                .handler(handler),
        )
        .controller(
            Route::get("/b")
                .id("b")
                .public()
                .middleware(RateLimit::per_identity("callers", Quota::per_minute(30)))
                .middleware(RateLimit::global("all", Quota::per_second(3).burst(20)))
                .handler(handler),
        )
        .build();
    TestClient::new(api.unwrap())
}

/// Pseudorandom numbers, which are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Returns the headers about limits in a response.
fn outcome(response: &TestResponse) -> (u16, Vec<Option<String>>) {
    let names = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
    (response.status().as_u16(), names.iter().map(|name| response.header(name).map(str::to_owned)).collect())
}

#[test]
fn a_custom_store_decides_like_the_memory_store() {
    let clock = Clock::manual(0);
    let table = client(TableLimiter::new(10_000, WhenUnavailable::FailClosed), &clock);
    let memory = client(MemoryLimiter::new(), &clock);
    let mut numbers = Numbers(7);
    let mut statuses = [0; 2];
    for number in 0..4000 {
        let peer = SocketAddr::new(IpAddr::V4(Ipv4Addr::from_bits(0xC633_6400 + numbers.below(4))), 40000);
        let path = ["/a", "/b"][numbers.below(2) as usize];
        let headers = [
            ("X-Tenant", numbers.below(3)),
            ("X-Cost", [0, 1, 1, 1, 3, 8][numbers.below(6) as usize]),
            ("X-Burst", [5, 5, 5, 7, 0][numbers.below(5) as usize]),
            ("X-Exempt", u32::from(numbers.below(5) > 0)),
        ];
        let send = |client: &TestClient| {
            let request = client.get(path).peer(peer);
            let request =
                headers.iter().fold(request, |request, (name, value)| request.header(name, value.to_string()));
            let response = request.send();
            response.assert_documented();
            outcome(&response)
        };
        let (found, expected) = (send(&table), send(&memory));
        assert_eq!(found, expected, "request {number}: {path} {peer} {headers:?}");
        statuses[usize::from(found.0 == 429)] += 1;
        clock.advance(Duration::from_micros([0, 1, 333_333, 500_000, 2_000_001][numbers.below(5) as usize]));
    }
    assert!(statuses[0] > 400 && statuses[1] > 400, "{statuses:?}");
}

#[test]
fn a_custom_store_decides_what_happens_while_it_fails() {
    for (unavailable, status) in [(WhenUnavailable::FailOpen, 200), (WhenUnavailable::FailClosed, 503)] {
        let store = Arc::new(TableLimiter::new(10_000, unavailable));
        let client = client(store.clone(), &Clock::manual(0));
        client.get("/a").send().assert_status(200).assert_documented().assert_header("X-RateLimit-Limit", "1");
        store.is_away.store(true, Ordering::SeqCst);
        for _ in 0..50 {
            let response = client.get("/a").send();
            response.assert_status(status).assert_documented();
            assert_eq!(response.header("x-ratelimit-limit"), None);
        }
        let describes_503 =
            client.api().operations().all(|operation| operation.problems.iter().any(|kind| kind.code == "unavailable"));
        assert_eq!(describes_503, unavailable == WhenUnavailable::FailClosed);
        store.is_away.store(false, Ordering::SeqCst);
        client.get("/b").send().assert_status(200).assert_header("X-RateLimit-Remaining", "19");
    }
}

#[test]
fn a_custom_store_is_a_component_of_the_api() {
    for (unavailable, starts) in [(WhenUnavailable::FailOpen, true), (WhenUnavailable::FailClosed, false)] {
        let store = Arc::new(TableLimiter::new(10_000, unavailable));
        let client = client(store.clone(), &Clock::manual(0));
        assert_eq!((store.starts.load(Ordering::SeqCst), store.stops.load(Ordering::SeqCst)), (0, 0));
        client.start().unwrap();
        client.stop();
        assert_eq!((store.starts.load(Ordering::SeqCst), store.stops.load(Ordering::SeqCst)), (1, 1));
        client.get("/b").send().assert_status(200);
        let report = client.api().report();
        let rows: Vec<_> = report.samples().iter().filter(|sample| sample.name() == "rate_limit_rows").collect();
        assert_eq!((rows.len(), rows[0].component()), (1, "rate limits in a table"));
        assert_eq!(rows[0].value(), SampleValue::Gauge(3.0));
        store.is_away.store(true, Ordering::SeqCst);
        match client.start() {
            Ok(()) => assert!(starts),
            Err(failure) => {
                let text = failure.to_string();
                assert!(
                    !starts && text.contains("rate limits in a table") && text.contains("the table is away"),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn errors_of_a_custom_store_are_build_errors() {
    let api = Api::builder(
        Configuration::new("limits", "1.0.0").limiter_store(TableLimiter::new(0, WhenUnavailable::FailOpen)),
    );
    let handler = async |_: ()| Ok(Data(1));
    let limit = RateLimit::global("all", Quota::per_second(1));
    let errors =
        api.middleware(limit).controller(Route::get("/a").id("a").public().handler(handler)).build().unwrap_err();
    assert_eq!(errors.messages(), ["GET /a: the table of limits has no room; admit at least one row"]);
}
