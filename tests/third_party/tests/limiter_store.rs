//! Tests that limits use a store of a third party like the framework's stores.

#![cfg(test)]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use restwright::http::StatusCode;
use restwright::rate_limit::{Quota, RateLimit};
use restwright::report::SampleValue;
use restwright::testing::TestClient;
use restwright::{Api, Configuration, Controller, Result, Route};
use restwright::{BuildErrors, Input, Output};
use restwright_third_party::FixedWindow;

struct Act;

impl Controller for Act {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let limit = RateLimit::per_ip("clients", Quota::per_minute(60).burst(2));
        Route::get("/a").public().empty_response(204).middleware(limit)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

fn api(store: &Arc<FixedWindow>) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("third party", "1.0.0").limiter_store(store.clone());
    Api::builder(configuration).controller(Act).build()
}

#[test]
fn limits_are_charged_to_the_store() {
    let store = Arc::default();
    let client = TestClient::new(api(&store).unwrap());
    for (status, remaining) in [(204, "1"), (204, "0"), (429, "0")] {
        let response = client.get("/a").send();
        response.assert_status(status).assert_header("X-RateLimit-Limit", "2").assert_documented();
        response.assert_header("X-RateLimit-Remaining", remaining);
    }
    let report = client.api().report();
    let of_store = report.samples().iter().filter(|sample| sample.component() == "fixed window");
    let found: Vec<_> = of_store.map(|sample| (sample.name(), sample.value())).collect();
    let expected = [
        ("rate_limit_admitted_requests", SampleValue::Counter(2)),
        ("rate_limit_refused_requests", SampleValue::Counter(1)),
        ("rate_limit_uncharged_requests", SampleValue::Counter(0)),
        ("window_keys", SampleValue::Gauge(1.0)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_store_that_fails_or_leaves_out_a_bucket_refuses_requests() {
    for broken in [false, true] {
        let store = Arc::<FixedWindow>::default();
        let client = TestClient::new(api(&store).unwrap());
        client.get("/a").send().assert_status(204);
        let failure = if broken { &store.broken } else { &store.incomplete };
        failure.store(true, Ordering::SeqCst);
        client.get("/a").send().assert_status(503).assert_documented();
    }
}

#[test]
fn the_api_checks_the_store_and_runs_it() {
    let invalid = Arc::<FixedWindow>::default();
    invalid.invalid.store(true, Ordering::SeqCst);
    let errors = api(&invalid).unwrap_err();
    assert_eq!(errors.messages(), ["GET /a: the window is invalid"]);
    let store = Arc::<FixedWindow>::default();
    let client = TestClient::new(api(&store).unwrap());
    client.start().unwrap();
    assert!(store.started.load(Ordering::SeqCst));
}
