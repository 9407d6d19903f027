//! Tests of custom strategies.

use std::time::Duration;

use restwright::core::Route;
use restwright_rate_limit::{LimitedRequest, Quota, RateLimit, RateLimitKey, RateLimitStrategy};

use crate::scene::{Act, ONE, limited, numbers, scene};

/// Charges what `X-Cost` says; `X-Free` is not counted; `X-Burst` says how much at once; authenticated callers have more.
struct Custom;

impl RateLimitStrategy for Custom {
    fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
        let counted = caller.request().header(&"x-free".parse().unwrap()).is_none();
        counted.then(RateLimitKey::global)
    }

    fn cost(&self, caller: &LimitedRequest<'_>) -> u32 {
        caller.request().header(&"x-cost".parse().unwrap()).map_or(1, |cost| cost.parse().unwrap())
    }

    fn quota(&self, caller: &LimitedRequest<'_>) -> Quota {
        let quota = if caller.identity().is_guest() { Quota::per_minute(10) } else { Quota::per_minute(60) };
        let burst = caller.request().header(&"x-burst".parse().unwrap());
        burst.map_or(quota, |burst| quota.burst(burst.parse().unwrap()))
    }
}

#[test]
fn strategies_decide_key_cost_and_quota() {
    let scene =
        scene(|api| api.controller(Act(Route::get("/a").optional("name").middleware(RateLimit::custom("a", Custom)))));
    let next = |headers: &[(&str, &str)]| numbers(&scene.send("/a", ONE, headers));
    assert_eq!(next(&[("X-Cost", "7")]), [Some(10), Some(3), Some(42), None]);
    assert_eq!(next(&[("X-Cost", "4")]), [Some(10), Some(3), Some(42), Some(6)]);
    assert_eq!(next(&[("X-Cost", "0")]), [Some(10), Some(3), Some(42), None]);
    assert_eq!(next(&[("X-Free", "yes"), ("X-Cost", "4")]), [None; 4]);
    assert_eq!(next(&[("X-Cost", "4"), ("Authorization", "Test ann")]), [Some(60), Some(14), Some(46), None]);
    let refused = scene.send("/a", ONE, &[("X-Cost", "11")]);
    assert!(refused.assert_status(429).text().contains("This request costs 11, but the limit `a` allows at most 10."));
    assert_eq!(refused.header("retry-after"), None, "it is never admitted");
    let refused = scene.send("/a", ONE, &[("X-Burst", "0")]);
    assert_eq!(numbers(refused.assert_status(429)), [Some(0), Some(0), Some(46), None]);
}

#[test]
fn a_bucket_that_owes_more_than_it_holds_says_how_long() {
    let scene = scene(|api| api.controller(limited("/a", RateLimit::custom("a", Custom))));
    assert_eq!(numbers(&scene.send("/a", ONE, &[("X-Cost", "10")])), [Some(10), Some(0), Some(60), None]);
    let small: &[_] = &[("X-Burst", "2")];
    assert_eq!(numbers(&scene.send("/a", ONE, small)), [Some(2), Some(0), Some(60), Some(54)]);
    scene.clock.advance(Duration::from_millis(53_999));
    assert_eq!(numbers(&scene.send("/a", ONE, small)), [Some(2), Some(0), Some(7), Some(1)]);
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(numbers(scene.send("/a", ONE, small).assert_status(204)), [Some(2), Some(0), Some(12), None]);
}
