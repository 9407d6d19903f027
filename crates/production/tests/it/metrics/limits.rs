use std::time::Duration;

use restwright::prelude::*;
use restwright::production::Metrics;
use restwright::rate_limit::{BucketState, Charge, ConcurrencyLimit, LimiterStore, Quota, RateLimit, WhenUnavailable};
use restwright::{Component, ComponentError};

use super::scraped;
use crate::server::Server;

/// A store that charges nothing.
struct Broken(WhenUnavailable);

impl Component for Broken {
    fn name(&self) -> &str {
        "broken"
    }
}

impl LimiterStore for Broken {
    async fn charge(&self, _: &[Charge<'_>]) -> std::result::Result<Vec<BucketState>, ComponentError> {
        Err("gone".into())
    }

    fn when_unavailable(&self) -> WhenUnavailable {
        self.0
    }
}

#[test]
fn requests_that_a_store_does_not_charge_are_counted() {
    for (when_unavailable, status) in [(WhenUnavailable::FailOpen, 200), (WhenUnavailable::FailClosed, 503)] {
        let get = Route::get("/").id("get").public().middleware(RateLimit::global("all", Quota::per_hour(1)));
        let api = Api::builder(Configuration::new("broken", "1.0.0").limiter_store(Broken(when_unavailable)))
            .module(&Metrics::new().public())
            .controller(get.handler(async |()| Ok(Data("in"))))
            .build();
        let server = Server::start(api.unwrap());
        for _ in 0..3 {
            assert_eq!(server.send("GET", "/", &[]).status(), status);
        }
        let metrics = scraped(&server);
        for (verdict, count) in [("admitted", 0.0), ("refused", 0.0), ("uncharged", 3.0)] {
            let name = format!(r#"rate_limit_{verdict}_requests_total{{component="broken",limit="all"}}"#);
            assert_eq!(metrics.get(&name), Some(&count), "{name}");
        }
    }
}

#[test]
fn requests_with_a_place_and_without_are_counted() {
    let [get, view] = ["/", "/view"].map(|path| Route::get(path).id(path).public());
    let late = async |()| {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(Data("late"))
    };
    let api = Api::builder(Configuration::new("places", "1.0.0"))
        .module(&Metrics::new().public())
        .controller(get.middleware(ConcurrencyLimit::global("one", 1)).handler(late))
        .controller(view.middleware(ConcurrencyLimit::global("two", 2)).handler(async |()| Ok(Data("in"))))
        .build();
    let server = Server::start(api.unwrap());
    std::thread::scope(|scope| {
        let first = scope.spawn(|| server.send("GET", "/", &[]).status());
        std::thread::sleep(Duration::from_millis(150));
        assert_eq!([(); 2].map(|()| server.send("GET", "/", &[]).status()), [429; 2]);
        assert_eq!(first.join().unwrap(), 200);
    });
    let metrics = scraped(&server);
    for (limit, verdict, count) in
        [("one", "admitted", 1.0), ("one", "refused", 2.0), ("two", "admitted", 0.0), ("two", "refused", 0.0)]
    {
        let name =
            format!(r#"concurrency_limit_{verdict}_requests_total{{component="concurrency limits",limit="{limit}"}}"#);
        assert_eq!(metrics.get(&name), Some(&count), "{name}");
    }
}
