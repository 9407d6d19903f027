//! Tests of the bucket that a request is charged to.

use std::net::SocketAddr;
use std::sync::Arc;

use restwright::Api;
use restwright::core::auth::Access;
use restwright::core::{Clock, Configuration, Route};
use restwright::testing::TestClient;
use restwright_rate_limit::{MemoryLimiter, Quota, RateLimit};

use crate::scene::{Act, Names, ONE, Scene, TWO, limited, numbers, scene};

#[test]
fn addresses_have_buckets_of_their_own() {
    let scene = scene(|api| api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_minute(1)))));
    scene.check("/a", &[(ONE, &[]), (ONE, &[]), (TWO, &[]), ("::ffff:198.51.100.2", &[])], &[204, 429, 204, 429]);
    scene.check("/a", &[("2001:db8::1", &[]), ("2001:db8::ffff:1", &[]), ("2001:db8:0:1::1", &[])], &[204, 429, 204]);
    scene.check("/a", &[(ONE, &[("X-Forwarded-For", "7.7.7.7")])], &[429]);
    assert_eq!(scene.store.keys(), 4);
}

#[test]
fn the_configuration_says_how_many_bits_of_ipv6_are_one_client() {
    for (bits, expected) in [(48, [204, 429, 429, 429, 204]), (56, [204, 429, 429, 204, 204]), (128, [204; 5])] {
        let configuration = Configuration::new("limits", "1.0.0").ipv6_prefix(bits).clock(Clock::manual(0));
        let guests = Route::get("/a").optional("name").middleware(RateLimit::per_identity("b", Quota::per_minute(1)));
        let api = Api::builder(configuration.authenticator("name", Names)).controller(Act(guests)).build().unwrap();
        let client = TestClient::new(api);
        let addresses =
            ["2001:db8:1:2300::1", "2001:db8:1:2300::2", "2001:db8:1:23ff::1", "2001:db8:1:2400::1", "2001:db8:2::1"];
        let statuses = addresses.map(|address| {
            let response = client.get("/a").peer(SocketAddr::new(address.parse().unwrap(), 40000)).send();
            response.status().as_u16()
        });
        assert_eq!(statuses, expected, "{bits}");
    }
}

#[test]
fn a_global_limit_and_one_by_header() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::global("a", Quota::per_minute(2))))
            .controller(limited("/b", RateLimit::by_header("b", "X-Tenant", Quota::per_minute(1))))
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
fn identities_are_charged_after_authorisation() {
    let scene = scene(|api| {
        let limit = RateLimit::per_identity("a", Quota::per_minute(1));
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit.clone())))
            .controller(Act(Route::get("/b").optional("name").middleware(limit)))
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
        api.controller(Act(Route::get("/a").authorize("key", [""; 0]).middleware(limit)))
    });
    let (one, two, wrong): (&[_], &[_], &[_]) = (&[("X-Key", "ann/1")], &[("X-Key", "ann/2")], &[("X-Key", "wrong")]);
    scene.check("/a", &[(ONE, one), (TWO, one), (ONE, two), (ONE, wrong), (ONE, wrong)], &[204, 429, 204, 401, 401]);
    assert_eq!(scene.store.keys(), 2);
}

/// If another scheme admitted the caller, the key was not checked.
#[test]
fn api_keys_that_nobody_verified_have_no_bucket() {
    let scene = scene(|api| {
        let limit = RateLimit::per_api_key("a", "key", Quota::per_minute(2));
        let access = Access::authenticated("name").or("key");
        api.controller(Act(Route::get("/a").access(access).middleware(limit.clone())))
            .controller(Act(Route::get("/b").access(Access::authenticated("name").and("key")).middleware(limit)))
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
        api.controller(Act(Route::get("/a").access(access).middleware(limit)))
    });
    let by = |headers: &'static [(&'static str, &'static str)]| (ONE, headers);
    let (key, other) = (by(&[("X-Key", "ann")]), by(&[("X-Other", "ann")]));
    let name = by(&[("Authorization", "Test ann")]);
    scene.check("/a", &[key, other, name, key, other, name], &[204, 204, 204, 429, 429, 429]);
}

#[test]
fn an_address_can_be_charged_after_authentication() {
    let scene = scene(|api| {
        let limit = RateLimit::per_ip("a", Quota::per_minute(1)).after_authentication();
        api.controller(Act(Route::get("/a").authorize("name", [""; 0]).middleware(limit)))
    });
    let ann: &[_] = &[("Authorization", "Test ann")];
    scene.check("/a", &[(ONE, &[]), (ONE, ann), (ONE, ann), (ONE, &[])], &[401, 204, 429, 401]);
}

#[test]
fn made_up_headers_take_no_place_from_addresses() {
    let clock = Clock::manual(0);
    let store = Arc::new(MemoryLimiter::new().max_keys(100));
    let configuration = Configuration::new("limits", "1.0.0").clock(clock.clone()).limiter_store(store.clone());
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
