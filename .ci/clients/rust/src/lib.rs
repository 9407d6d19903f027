//! What the programs of both clients use.

use futures_util::TryStreamExt;
use progenitor_client::{ByteStream, Error};
use reqwest::header::{HeaderMap, HeaderValue};
use serde::de::DeserializeOwned;

/// Returns the address of the service, and a client that sends the API key.
pub fn connection() -> (String, reqwest::Client) {
    let [address, key] = ["API_URL", "API_KEY"].map(|name| std::env::var(name).expect(name));
    let headers = HeaderMap::from_iter([("x-api-key".parse().unwrap(), HeaderValue::try_from(key).unwrap())]);
    (address, reqwest::Client::builder().default_headers(headers).build().unwrap())
}

/// Reads the problem of a rejected request. progenitor reads `application/json` only, and returns the bytes of other bodies.
pub async fn problem<P: DeserializeOwned>(error: Error<ByteStream>) -> P {
    let Error::ErrorResponse(response) = error else { panic!("the request has no response") };
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let body: Vec<_> = response.into_inner_stream().try_collect().await.unwrap();
    serde_json::from_slice(&body.concat()).unwrap()
}
