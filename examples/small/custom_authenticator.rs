//! Accept webhooks whose body the sender signs with HMAC-SHA256.
//!
//! `cargo run -p restwright-examples --example custom_authenticator`, then
//!
//! ```sh
//! body='{"order": 7}'
//! signature=$(printf %s "$body" | openssl dgst -sha256 -hmac 'a shared secret' -binary | base64)
//! curl -si -H 'Content-Type: application/json' -H "X-Signature: $signature" -d "$body" http://127.0.0.1:8080/webhooks
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use restwright::auth::{Authentication, Authenticator, Rejection};
use restwright::http::{HeaderName, HttpRequest};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use serde::Deserialize;
use sha2::Sha256;

/// Identifies the shop by its signature of the body.
struct Signature(Hmac<Sha256>);

impl Authenticator for Signature {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-Signature")
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let signature = match request.only_header(&HeaderName::from_static("x-signature")) {
            Ok(Some(signature)) => signature.to_owned(),
            Ok(None) => return Authentication::NoCredentials,
            Err(error) => return Authentication::Rejected(Rejection::new(error.to_string())),
        };
        // The endpoint reads the same bytes again.
        let body = match request.body().await {
            Ok(body) => body,
            Err(problem) => return Authentication::Rejected(Rejection::new(problem.to_string())),
        };
        // Compares in constant time.
        let verify = |signature: Vec<u8>| self.0.clone().chain_update(&body).verify_slice(&signature);
        match STANDARD.decode(signature).map(verify) {
            Ok(Ok(())) => Authentication::Identity(Identity::builder("shop").build()),
            _ => Authentication::Rejected(Rejection::new("the signature does not fit the body")),
        }
    }
}

/// An order that a customer has placed.
#[derive(Deserialize, Schema)]
struct Placed {
    #[property(minimum = 1)]
    order: i64,
}

#[derive(Request)]
struct Webhook {
    caller: Caller,
    #[body]
    placed: Placed,
}

/// The application. A real one reads the secret from its environment.
fn api(secret: &[u8]) -> Result<Api, Box<dyn std::error::Error>> {
    let signature = Signature(Hmac::new_from_slice(secret)?);
    let webhooks =
        Route::post("/webhooks").id("receiveWebhook").summary("Receive an order").authorize("signature", [""; 0]);
    let webhooks = webhooks.handler(async |Webhook { caller, placed }| {
        Ok(Data(format!("{} placed order {}", caller.subject(), placed.order)))
    });
    let configuration = Configuration::new("webhooks", "1.0.0").authenticator("signature", signature);
    Ok(Api::builder(configuration).controller(webhooks).build()?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(restwright::run(restwright::serve(api(b"a shared secret")?, "127.0.0.1:8080"))?)
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;

    /// The signature of `{"order": 7}`, by `openssl dgst`.
    const SIGNATURE: &str = "yZvhvsRfqMfpO+3gyeWaVRoG0j39Pqc+gYyOTZQK+Vs=";

    #[test]
    fn accepts_only_the_body_that_the_secret_signs() {
        let client = TestClient::new(super::api(b"a shared secret").unwrap());
        for (signatures, body, status) in [
            (&[SIGNATURE][..], r#"{"order": 7}"#, 200),
            (&[SIGNATURE], r#"{"order": 8}"#, 401),
            (&["not base64"], r#"{"order": 7}"#, 401),
            (&[SIGNATURE, SIGNATURE], r#"{"order": 7}"#, 401),
            (&[], r#"{"order": 7}"#, 401),
        ] {
            let request = client.post("/webhooks").body("application/json", body);
            let request =
                signatures.iter().fold(request, |request, signature| request.header("X-Signature", signature));
            request.send().assert_status(status).assert_documented();
        }
    }
}
