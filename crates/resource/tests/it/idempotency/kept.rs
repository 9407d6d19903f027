//! Which responses and which of their parts are stored.

use std::time::Duration;

use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};

use super::{Shop, configuration, is_replay};

#[test]
fn stores_successes_and_conflicts() {
    for (body, status, is_kept) in [
        ("status 200", 200, true),
        ("status 201", 201, true),
        ("status 202", 202, true),
        ("empty 204", 204, true),
        ("problem", 409, true),
        ("status 303", 303, false),
        ("status 400", 400, false),
        ("status 401", 401, false),
        ("status 403", 403, false),
        ("status 404", 404, false),
        ("status 412", 412, false),
        ("status 422", 422, false),
        ("status 429", 429, false),
        ("status 500", 500, false),
        ("status 503", 503, false),
        ("panic", 500, false),
        ("stream", 200, false),
    ] {
        let shop = Shop::new();
        let first = shop.pay("a", body);
        assert!(!is_replay(first.assert_status(status)), "{body}");
        let second = shop.pay("a", body);
        assert_eq!(is_replay(second.assert_status(status)), is_kept, "{body}");
        assert_eq!(shop.effects(), if is_kept { 1 } else { 2 }, "{body}");
        if is_kept {
            assert_eq!(second.bytes(), first.bytes(), "{body}");
            assert_eq!(second.header("content-type"), first.header("content-type"), "{body}");
        }
    }
}

#[test]
fn a_replay_has_the_stored_headers_and_a_new_request_id() {
    let shop = Shop::new();
    let (first, second) = (shop.pay("a", "status 201"), shop.pay("a", "status 201"));
    for name in ["location", "etag", "content-type", "content-encoding"] {
        assert!(first.header(name).is_some() && second.header(name) == first.header(name), "{name}");
    }
    assert_eq!((first.header("x-own"), second.header("x-own")), (Some("own"), None));
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
}

#[test]
fn responses_are_stored_for_a_day() {
    let shop = Shop::new();
    let (day, second) = (Duration::from_secs(24 * 3600), Duration::from_secs(1));
    assert!(!is_replay(&shop.pay("a", "status 201")));
    shop.clock.advance(day - second);
    assert!(is_replay(&shop.pay("a", "status 201")));
    shop.clock.advance(second);
    assert!(!is_replay(&shop.pay("a", "status 201")), "a replay does not keep it for longer");
    assert_eq!(shop.effects(), 2);
    shop.clock.advance(day);
    shop.pay("a", "another body").assert_status(200);

    let shop = Shop::with(MemoryIdempotencyStore::new().keep_for(second));
    for expected in [false, true, false] {
        assert_eq!(is_replay(&shop.pay("a", "status 201")), expected);
        shop.clock.advance(second / 2);
    }
}

/// Exceeds its deadline once.
struct Late(std::sync::atomic::AtomicBool);

impl Controller for Late {
    type Request = ();
    type Response = NoContent;

    fn route(&self) -> Route {
        let idempotency = Idempotency::new(MemoryIdempotencyStore::new());
        Route::post("/late").authorize("key", [""; 0]).deadline(Duration::from_millis(20)).middleware(idempotency)
    }

    async fn handle(&self, (): ()) -> Result<NoContent> {
        if !self.0.swap(true, std::sync::atomic::Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        Ok(NoContent)
    }
}

#[test]
fn a_request_past_its_deadline_is_executed_again() {
    let client = TestClient::new(Api::builder(configuration()).controller(Late(false.into())).build().unwrap());
    let send = || client.post("/late").header("X-Caller", "ann").header("Idempotency-Key", "a").send();
    send().assert_status(503).assert_problem("deadline_exceeded").assert_documented();
    for expected in [false, true] {
        assert_eq!(is_replay(send().assert_status(204).assert_documented()), expected);
    }
}
