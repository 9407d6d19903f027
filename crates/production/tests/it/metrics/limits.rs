use restwright::list::rate_limit::{BucketState, Charge, LimiterStore, Quota, RateLimit, WhenUnavailable};
use restwright::prelude::*;
use restwright::production::Metrics;
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
