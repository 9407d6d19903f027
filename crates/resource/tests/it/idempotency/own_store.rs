//! A store of one's own.

use std::convert::Infallible;
use std::time::Duration;

use restwright::{Component, ComponentError};
use restwright_resource::idempotency::{
    Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse, MemoryClaim, MemoryIdempotencyStore,
};

use super::Shop;

/// A store in memory that fails where it is told to, and takes its time to keep a response.
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
    type Store = Infallible;

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
fn nothing_is_carried_out_while_keys_cannot_be_claimed() {
    let shop = Shop::with(Failing { begin_fails: true, ..Failing::default() });
    let response = shop.pay("a", "empty 204");
    response.assert_status(503).assert_problem("unavailable").assert_header("Retry-After", "1").assert_documented();
    assert!(!response.text().contains("the store is down"));
    assert_eq!(shop.effects(), 0);
    // Without a key nothing is asked of the store.
    shop.client.post("/payments").header("X-Caller", "ann").body("text/plain", "empty 204").send().assert_status(204);
}

#[test]
fn a_response_that_cannot_be_kept_is_sent_all_the_same() {
    let shop = Shop::with(Failing { complete_fails: true, ..Failing::default() });
    shop.pay("a", "status 201").assert_status(201);
    shop.pay("a", "status 201").assert_status(201);
    assert_eq!(shop.effects(), 2);
}

#[tokio::test]
async fn the_response_of_a_handler_that_ended_is_kept_when_the_client_is_gone() {
    let shop = Shop::with(Failing::default());
    let gone = tokio::time::timeout(Duration::from_millis(50), shop.payment("a", "status 201").into_future()).await;
    assert!(gone.is_err() && shop.effects() == 1);
    let second = shop.payment("a", "status 201").await;
    assert_eq!((second.assert_status(201).text(), second.header("idempotency-replayed")), ("1", Some("true")));
    assert_eq!(shop.effects(), 1);
}
