//! Tests of several limits on one route.

use restwright::Group;
use restwright::core::Route;
use restwright_rate_limit::{Quota, RateLimit};

use crate::scene::{Act, ONE, TWO, limited, numbers, scene};

#[test]
fn several_are_charged_in_order_until_one_refuses() {
    let scene = scene(|api| {
        let wide = RateLimit::per_ip("wide", Quota::per_minute(4));
        let narrow = RateLimit::global("narrow", Quota::per_minute(2));
        let last = RateLimit::per_ip("last", Quota::per_minute(60));
        api.middleware(wide.clone())
            .group(Group::new("").middleware(narrow).controller(limited("/a", last.clone())))
            .controller(limited("/last", last))
            .controller(Act(Route::get("/wide").public()))
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
            .middleware(RateLimit::per_ip("address", Quota::per_minute(3)))))
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    assert_eq!(numbers(&scene.send("/a", ONE, ann)), [Some(2), Some(1), Some(30), None]);
    assert_eq!(numbers(scene.send("/a", ONE, &[]).assert_status(401)), [Some(3), Some(1), Some(40), None]);
    assert_eq!(numbers(scene.send("/a", ONE, ann).assert_status(204)), [Some(3), Some(0), Some(60), None]);
    assert_eq!(numbers(scene.send("/a", ONE, &[]).assert_status(429)), [Some(3), Some(0), Some(60), Some(20)]);
    assert_eq!(numbers(scene.send("/a", TWO, ann).assert_status(429)), [Some(2), Some(0), Some(60), Some(30)]);
}

#[test]
fn one_stage_and_two_report_the_same_limit() {
    for late in [false, true] {
        let scene = scene(|api| {
            let slow = RateLimit::per_ip("slow", Quota::per_minute(10));
            let fast = RateLimit::global("fast", Quota::per_second(10));
            let fast = if late { fast.after_authentication() } else { fast };
            api.controller(Act(Route::get("/a").public().middleware(slow).middleware(fast)))
        });
        assert_eq!(numbers(&scene.send("/a", ONE, &[])), [Some(10), Some(9), Some(6), None], "{late}");
    }
}
