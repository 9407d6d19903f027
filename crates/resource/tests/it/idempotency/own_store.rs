//! A custom store.
use std::time::Duration;

use restwright::{Component, ComponentError};
use restwright_resource::idempotency::{
    Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse, MemoryClaim, MemoryIdempotencyStore,
};

use super::Shop;

/// A memory store that can fail and can be slow to store a response.
#[derive(Default)]
struct Failing {
    store: MemoryIdempotencyStore,
    begin_fails: bool,
    complete_fails: bool,
}

impl Component for Failing {
    fn name(&self) -> &str {
        "failing keys"
    }
}

impl IdempotencyStore for Failing {
    type Claim = MemoryClaim;

    async fn begin(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<MemoryClaim>, ComponentError> {
        if self.begin_fails {
            return Err("the store is down".into());
        }
        self.store.begin(key, &Fingerprint::from(*fingerprint.as_bytes()), patience).await
    }

    async fn complete(&self, claim: MemoryClaim, response: KeptResponse) -> Result<(), ComponentError> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if self.complete_fails {
            return Err("the store is down".into());
        }
        let headers = response.headers().map(|(name, value)| (name.clone(), value.clone()));
        self.store.complete(claim, KeptResponse::new(response.status(), headers, response.body())).await
    }

    fn kept_for(&self) -> Duration {
        Duration::from_secs(60)
    }
}

#[test]
fn nothing_is_executed_while_keys_cannot_be_claimed() {
    let shop = Shop::with(Failing { begin_fails: true, ..Failing::default() });
    let response = shop.pay("a", "empty 204");
    response.assert_status(503).assert_problem("unavailable").assert_header("Retry-After", "1").assert_documented();
    assert!(!response.text().contains("the store is down"));
    assert_eq!(shop.effects(), 0);
    // A request without a key does not use the store.
    shop.client.post("/payments").header("X-Caller", "ann").body("text/plain", "empty 204").send().assert_status(204);
}

#[test]
fn a_response_that_cannot_be_stored_is_sent_nevertheless() {
    let shop = Shop::with(Failing { complete_fails: true, ..Failing::default() });
    shop.pay("a", "status 201").assert_status(201);
    shop.pay("a", "status 201").assert_status(201);
    assert_eq!(shop.effects(), 2);
}

#[tokio::test]
async fn a_completed_response_is_stored_after_the_client_disconnects() {
    let shop = Shop::with(Failing::default());
    let gone = tokio::time::timeout(Duration::from_millis(50), shop.payment("a", "status 201").into_future()).await;
    assert!(gone.is_err() && shop.effects() == 1);
    let second = shop.payment("a", "status 201").await;
    assert_eq!((second.assert_status(201).text(), second.header("idempotency-replayed")), ("1", Some("true")));
    assert_eq!(shop.effects(), 1);
}
