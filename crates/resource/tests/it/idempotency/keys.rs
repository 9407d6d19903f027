//! Valid keys, and requests without keys.

use std::sync::Arc;
use std::time::Duration;

use restwright::auth::Identity;
use restwright::http::{Method, StatusCode};
use restwright::testing::TestResponse;
use restwright_resource::idempotency::{
    Begun, Fingerprint, Idempotency, IdempotencyKey, IdempotencyStore, KeptResponse, MemoryIdempotencyStore,
};

use super::{Shop, at_the_key, is_replay, violations};

/// Sends a payment with these headers `Idempotency-Key`.
fn send(shop: &Shop, keys: &[&[u8]]) -> TestResponse {
    let request = shop.client.post("/payments").header("X-Caller", "ann").body("text/plain", "empty 204");
    let response = keys.iter().fold(request, |request, key| request.header("Idempotency-Key", key)).send();
    response.assert_documented();
    response
}

#[test]
fn a_malformed_key_is_400_and_the_request_is_not_executed() {
    let shop = Shop::new();
    let (long, quoted) = ("k".repeat(256), format!("\"{}\"", "k".repeat(256)));
    let wrong: [(&[&[u8]], &str); 13] = [
        (&[b""], "format"),
        (&[b"\"\""], "format"),
        (&[b"\"a"], "format"),
        (&[b"a b"], "format"),
        (&[b"a, b"], "format"),
        (&[b"\"a\";v=1"], "format"),
        (&[b"\"a\tb\""], "format"),
        (&[b"\"\xff\""], "format"),
        (&["\"ä\"".as_bytes()], "format"),
        (&[long.as_bytes()], "format"),
        (&[quoted.as_bytes()], "format"),
        (&[b"a", b"b"], "too_many_values"),
        (&[b"a", b"a"], "too_many_values"),
    ];
    for (keys, code) in wrong {
        let response = send(&shop, keys);
        response.assert_status(400).assert_problem("invalid_idempotency_key");
        assert_eq!(violations(&response), at_the_key(code));
    }
    assert_eq!(shop.effects(), 0);
}

#[test]
fn a_quoted_string_and_a_token_with_one_value_are_one_key() {
    let shop = Shop::new();
    let longest = "k".repeat(255);
    let quoted = format!("\"{longest}\"");
    for (key, is_new) in [
        ("abc", true),
        ("\"abc\"", false),
        (r#""a\"c""#, true),
        ("\"a c\"", true),
        ("ABC", true),
        (&longest, true),
        (&quoted, false),
    ] {
        assert_eq!(is_replay(send(&shop, &[key.as_bytes()]).assert_status(204)), !is_new, "{key}");
    }
}

#[test]
fn a_request_without_a_key_is_executed_unless_a_key_is_required() {
    let shop = Shop::new();
    for effects in 1..=2 {
        assert!(!is_replay(send(&shop, &[]).assert_status(204)));
        assert_eq!(shop.effects(), effects);
    }
    let shop = Shop::of(Idempotency::new(MemoryIdempotencyStore::new()).required());
    let response = send(&shop, &[]);
    response.assert_status(400).assert_problem("invalid_idempotency_key");
    assert_eq!(violations(&response), at_the_key("required"));
    send(&shop, &[b"a"]).assert_status(204);
    assert_eq!(shop.effects(), 1);
}

#[test]
fn only_methods_that_are_not_idempotent_use_keys() {
    let shop = Shop::of(Idempotency::new(MemoryIdempotencyStore::new()).required());
    for (method, has_keys) in [
        (Method::POST, true),
        (Method::PATCH, true),
        (Method::PUT, false),
        (Method::DELETE, false),
        (Method::GET, false),
    ] {
        let send = |key: &[u8]| {
            let request = shop.client.request(method.clone(), "/payments").header("X-Caller", "ann");
            request.header("Idempotency-Key", key).body("text/plain", "empty 204").send()
        };
        send(b"a").assert_status(204).assert_documented();
        assert_eq!(is_replay(send(b"a").assert_status(204).assert_documented()), has_keys, "{method}");
        // A key that is not read cannot be malformed.
        send(b"a b").assert_status(if has_keys { 400 } else { 204 });
    }
}

#[test]
fn another_body_or_query_is_422() {
    let shop = Shop::new();
    shop.pay("a", "status 201").assert_status(201);
    let response = shop.pay("a", "status 201 ");
    response.assert_status(422).assert_problem("idempotency_key_reused").assert_documented();
    assert_eq!(violations(&response), at_the_key("invalid"));
    let at = |target: &str| {
        let request = shop.client.post(target).header("X-Caller", "ann").header("Idempotency-Key", "a");
        request.body("text/plain", "status 201").send()
    };
    at("/payments?dry_run=true").assert_status(422).assert_problem("idempotency_key_reused");
    assert!(is_replay(at("/payments").assert_status(201)), "the first is still kept");
    assert_eq!(shop.effects(), 1);
}

#[test]
fn a_body_that_is_too_large_claims_no_key() {
    let shop = Shop::new();
    let body = |length: usize| {
        let request = shop.client.post("/payments").header("X-Caller", "ann").header("Idempotency-Key", "a");
        request.body("text/plain", vec![b' '; length]).send()
    };
    body(64 << 20).assert_status(413).assert_documented();
    body(1).assert_status(200);
    assert_eq!(shop.effects(), 1);
}

#[test]
fn the_same_bytes_of_another_media_type_are_another_request() {
    let shop = Shop::new();
    let pay = |media_type: &str| {
        let request = shop.client.post("/payments").header("X-Caller", "ann").header("Idempotency-Key", "a");
        request.body(media_type, "empty 204").send()
    };
    for (media_type, status) in
        [("text/plain", 204), ("Text/Plain; charset=utf-8", 204), ("text/csv", 422), ("text/plain", 204)]
    {
        pay(media_type).assert_status(status);
    }
    assert_eq!(shop.effects(), 1);
}

#[test]
fn a_response_that_was_stored_without_the_media_type_is_replayed() {
    let store = Arc::new(MemoryIdempotencyStore::new());
    let shop = Shop::with(Arc::clone(&store));
    let ann = Identity::builder("ann").build().authenticated_by(&"key".into());
    let key = IdempotencyKey::new(&ann, None, &Method::POST, "/payments", "a").unwrap();
    let earlier = Fingerprint::new(None, None, b"empty 204");
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let begun = store.begin(&key, &earlier, Duration::ZERO).await.unwrap();
        let Begun::Started(claim) = begun else { panic!("{begun:?}") };
        store.complete(claim, KeptResponse::new(StatusCode::NO_CONTENT, [], Vec::new())).await.unwrap();
    });
    for (key, body, status, is_kept) in
        [("a", "empty 204", 204, true), ("a", "empty 200", 422, false), ("b", "empty 204", 204, false)]
    {
        let response = shop.pay(key, body);
        assert_eq!(is_replay(response.assert_status(status)), is_kept, "{key} {body}");
    }
    assert_eq!(shop.effects(), 1);
}
