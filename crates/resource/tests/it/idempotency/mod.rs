//! `Idempotency-Key`, in process and over a socket.

mod bounds;
mod concurrency;
mod declarations;
mod isolation;
mod kept;
mod keys;
mod own_store;
mod resource;
mod script;
mod socket;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright::auth::{Access, Authentication, Authenticator, Identity};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestRequest, TestResponse};
use restwright::{AfterAuthentication, Clock};
use restwright_resource::idempotency::{Idempotency, IdempotencyStore, MemoryIdempotencyStore};

use self::script::Script;

/// Reads a caller from a header: `subject`, `subject issuer` or `subject issuer scope`.
struct Callers(&'static str);

impl Authenticator for Callers {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, self.0)
    }

    fn challenge(&self) -> String {
        "Callers".to_owned()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let name = HeaderName::from_bytes(self.0.as_bytes()).unwrap();
        let Some(caller) = request.header(&name) else { return Authentication::NoCredentials };
        let mut words = caller.split(' ');
        let identity = Identity::builder(words.next().unwrap());
        let identity = words.next().into_iter().fold(identity, |identity, issuer| identity.issuer(issuer));
        let scopes = words.next().unwrap_or("pay").split(',');
        Authentication::Identity(identity.scopes(scopes).build())
    }
}

fn configuration() -> Configuration {
    Configuration::new("shop", "1.0.0")
        .authenticator("key", Callers("X-Caller"))
        .authenticator("other", Callers("X-Other"))
}

#[derive(Request)]
struct PayAt {
    #[segment]
    shop: String,
}

/// A group with keys. The body of a request specifies what its routes do.
fn payments(idempotency: Idempotency, script: &Script) -> Group {
    let route = |route: Route, id: &str| route.id(id).middleware(AfterAuthentication(script.clone()));
    let plain = |declared: Route, id: &str| route(declared, id).handler(async |(): ()| Ok(NoContent));
    let pay_at = route(Route::post("/{shop}/payments"), "payAt").handler(async |request: PayAt| {
        drop(request.shop);
        Ok(NoContent)
    });
    Group::new("")
        .access(Access::authenticated("key").or("other").all_scopes(["pay"]))
        .middleware(idempotency)
        .controller(plain(Route::post("/payments"), "pay"))
        .controller(plain(Route::patch("/payments"), "amend"))
        .controller(plain(Route::put("/payments"), "replace"))
        .controller(plain(Route::delete("/payments"), "cancel"))
        .controller(plain(Route::get("/payments"), "list"))
        .controller(pay_at)
}

/// A shop that counts the executed requests.
struct Shop {
    client: TestClient,
    clock: Clock,
    effects: Arc<AtomicUsize>,
}

impl Shop {
    fn new() -> Self {
        Self::with(MemoryIdempotencyStore::new())
    }

    fn with(store: impl IdempotencyStore) -> Self {
        Self::of(Idempotency::new(store))
    }

    fn of(idempotency: Idempotency) -> Self {
        let (script, clock) = (Script::default(), Clock::manual(0));
        let effects = script.effects();
        let configuration = configuration().clock(clock.clone());
        let api = Api::builder(configuration).group(payments(idempotency, &script)).build().unwrap();
        Self { client: TestClient::new(api), clock, effects }
    }

    /// Returns a request for a payment by Ann with a key and a body.
    fn payment(&self, key: &str, body: &'static str) -> TestRequest<'_> {
        let request = self.client.post("/payments").header("X-Caller", "ann");
        request.header("Idempotency-Key", key).body("text/plain", body)
    }

    /// Sends a payment by Ann with a key and a body.
    #[track_caller]
    fn pay(&self, key: &str, body: &'static str) -> TestResponse {
        self.payment(key, body).send()
    }

    fn effects(&self) -> usize {
        self.effects.load(Ordering::SeqCst)
    }
}

fn is_replay(response: &TestResponse) -> bool {
    match response.header("idempotency-replayed") {
        Some(value) => {
            assert_eq!(value, "true");
            true
        }
        None => false,
    }
}

/// Returns the location and the code of each violation.
fn violations(response: &TestResponse) -> Vec<(String, String, String)> {
    response.violations().into_iter().map(|one| (one.location, one.pointer, one.code)).collect()
}

/// Returns a violation of the header with the key.
fn at_the_key(code: &str) -> Vec<(String, String, String)> {
    vec![("header".to_owned(), "/Idempotency-Key".to_owned(), code.to_owned())]
}
