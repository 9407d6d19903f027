//! Tests of the headers and the document of limited routes, and of the number of admitted requests.

use std::time::Duration;

use restwright::core::Route;
use restwright::core::operation::Operation;
use restwright::testing::TestClient;
use restwright_rate_limit::{Quota, RateLimit};

use crate::scene::{Act, ONE, limited, numbers, scene};

#[test]
fn every_response_reports_the_state_of_the_limit() {
    let scene = scene(|api| api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_minute(60).burst(3)))));
    let next = |path: &str| scene.send(path, ONE, &[]);
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(2), Some(1), None]);
    assert_eq!(numbers(next("/a?panic=true").assert_status(500)), [Some(3), Some(1), Some(2), None]);
    assert_eq!(numbers(next("/a?panic=perhaps").assert_status(422)), [Some(3), Some(0), Some(3), None]);
    let refused = next("/a");
    refused.assert_status(429).assert_problem("rate_limited");
    assert_eq!(numbers(&refused), [Some(3), Some(0), Some(3), Some(1)]);
    assert!(refused.text().contains("The limit `a` is exceeded."), "{}", refused.text());
    scene.clock.advance(Duration::from_millis(999));
    next("/a").assert_status(429);
    scene.clock.advance(Duration::from_millis(1));
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(0), Some(3), None]);
    scene.clock.advance(Duration::from_secs(3600));
    assert_eq!(numbers(next("/a").assert_status(204)), [Some(3), Some(2), Some(1), None]);
}

#[test]
fn the_document_describes_limited_routes() {
    let scene = scene(|api| {
        api.controller(limited("/a", RateLimit::per_ip("a", Quota::per_second(1))))
            .controller(Act(Route::get("/b").public()))
    });
    let described = |operation: &Operation| {
        let headers = operation.common_headers.iter().map(|header| header.name.clone());
        let limited = operation.problems.iter().any(|kind| kind.status == 429);
        (headers.filter(|name| name.starts_with("X-RateLimit-")).count(), limited)
    };
    let found: Vec<_> = scene.client.api().operations().map(described).collect();
    assert_eq!(found, [(3, true), (0, false)]);
}

#[test]
fn a_hundred_clients_at_once_get_the_quota_and_what_refills() {
    let scene = scene(|api| api.controller(limited("/a", RateLimit::global("a", Quota::per_minute(600).burst(250)))));
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
