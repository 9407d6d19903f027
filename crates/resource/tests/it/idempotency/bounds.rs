//! The limits of the memory store.

use std::sync::Arc;
use std::time::Duration;

use restwright::report::SampleValue;
use restwright_resource::idempotency::MemoryIdempotencyStore;

use super::{Shop, is_replay};

/// The counted bytes of a response `bytes 0`: its overhead, and `content-type: text/plain`.
const EMPTY: usize = 512 + 12 + 10;

/// Executes payments such as `ann 1`, a caller and a key. Returns for each, in order, whether its response is still stored.
fn kept(store: MemoryIdempotencyStore, payments: &str, body: &'static str) -> Vec<bool> {
    let shop = Shop::with(store);
    let send = |payment: &str| {
        let (caller, key) = payment.split_once(' ').unwrap();
        let request = shop.client.post("/payments").header("X-Caller", caller).header("Idempotency-Key", key);
        request.body("text/plain", body)
    };
    for payment in payments.split(", ") {
        assert!(!is_replay(send(payment).send().assert_status(200)), "{payment}");
    }
    // Another body with a stored key is a 422, which changes nothing.
    let is_kept = |payment: &str| send(payment).body("", "status 500").send().status() == 422;
    payments.split(", ").map(is_kept).collect()
}

#[test]
fn a_limit_per_caller_removes_the_oldest_responses_of_the_caller() {
    let new = MemoryIdempotencyStore::new;
    let payments = "ann 1, bob 1, ann 2, ann 3";
    let expected = [false, true, true, true];
    assert_eq!(kept(new().max_keys_per_caller(2), payments, "bytes 100"), expected);
    assert_eq!(kept(new().max_bytes_per_caller(2 * (EMPTY + 100)), payments, "bytes 100"), expected);
    assert_eq!(
        kept(new().max_bytes_per_caller(2 * (EMPTY + 100) - 1), payments, "bytes 100"),
        [false, true, false, true]
    );
}

#[test]
fn a_total_limit_removes_the_oldest_responses_of_all() {
    let new = MemoryIdempotencyStore::new;
    let payments = "ann 1, bob 1, ann 2, eve 1";
    let expected = [false, false, true, true];
    assert_eq!(kept(new().max_keys(2), payments, "bytes 100"), expected);
    assert_eq!(kept(new().max_bytes(2 * (EMPTY + 100)), payments, "bytes 100"), expected);
    assert_eq!(kept(new(), payments, "bytes 100"), [true; 4]);
}

#[test]
fn a_response_beyond_a_limit_is_not_stored_and_removes_nothing() {
    let new = || MemoryIdempotencyStore::new().max_bytes_per_caller(EMPTY + 100);
    for (store, is_kept) in [
        (new(), true),
        (new().max_bytes(EMPTY + 99), false),
        (new().max_bytes_per_caller(EMPTY + 99), false),
        (new().max_keys(0), false),
        (new().max_keys_per_caller(0), false),
        (new().max_bytes(0), false),
    ] {
        let shown = format!("{store:?}");
        assert_eq!(kept(store, "ann 1", "bytes 100"), [is_kept], "{shown}");
    }
    let shop = Shop::with(new());
    shop.pay("small", "bytes 100").assert_status(200);
    shop.pay("large", "bytes 101").assert_status(200);
    shop.pay("large", "bytes 101").assert_status(200);
    assert_eq!(shop.effects(), 3);
    assert!(is_replay(&shop.pay("small", "bytes 100")), "a response that is not kept forgets no other");
}

#[test]
fn counts_return_to_zero() {
    let store = Arc::new(MemoryIdempotencyStore::new().max_keys_per_caller(3));
    let shop = Shop::with(store.clone());
    for key in ["1", "2", "3", "4", "5", "1"] {
        shop.pay(key, "bytes 10").assert_status(200);
    }
    shop.pay("6", "status 500").assert_status(500);
    assert_eq!((store.keys(), store.bytes()), (3, 3 * (EMPTY + 10)));
    let report = shop.client.api().report();
    let value = |name: &str| report.samples().iter().find(|sample| sample.name() == name).unwrap().value();
    assert_eq!(value("idempotency_keys"), SampleValue::Gauge(3.0));
    assert_eq!(value("idempotency_bytes"), SampleValue::Gauge((3 * (EMPTY + 10)) as f64));
    assert_eq!(value("idempotency_evictions"), SampleValue::Counter(3));
    let own = report.samples().iter().filter(|sample| sample.component() != "server");
    assert_eq!(own.count(), 3, "the store is one component, however many routes have it");

    shop.clock.advance(Duration::from_secs(24 * 3600));
    shop.pay("7", "status 500").assert_status(500);
    assert_eq!((store.keys(), store.bytes()), (0, 0));
    let report = shop.client.api().report();
    let evictions = report.samples().iter().find(|sample| sample.name() == "idempotency_evictions").unwrap();
    assert_eq!(evictions.value(), SampleValue::Counter(3), "what expires is not evicted");
}
