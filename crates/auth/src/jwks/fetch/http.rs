//! Fetches keys from a URL.

use std::net::IpAddr;

use reqwest::header::{AGE, CACHE_CONTROL, HeaderName, LOCATION};
use reqwest::{Certificate, Response, StatusCode, Url, redirect};
use restwright_core::RuntimeThread;
use serde::Deserialize;
use tokio::sync::oneshot;

use super::{FetchedDocument, KeySetSource};
use crate::jwks::Jwks;

/// Fetches the keys on a separate thread. If the returned future is dropped, the thread is abandoned.
///
/// An issuer can keep the thread busy without end, for example with interim responses, which the client accepts without
/// limit. The timeout and later fetches run on other threads.
pub(super) async fn fetch(declaration: Jwks) -> Result<FetchedDocument, String> {
    let (sender, receiver) = oneshot::channel();
    let thread = RuntimeThread::start_attentive("restwright-fetch", async move {
        // After the timeout, the receiver is gone.
        let _ = sender.send(fetch_here(&declaration).await);
    });
    let thread = Fetching(thread.map_err(|error| format!("cannot start a thread: {error}"))?);
    let document = receiver.await;
    drop(thread);
    document.unwrap_or_else(|_closed| Err("the fetch panicked".to_owned()))
}

async fn fetch_here(declaration: &Jwks) -> Result<FetchedDocument, String> {
    let client = KeySetClient::new(declaration)?;
    match &declaration.source {
        KeySetSource::Url(url) => client.get(url).await,
        KeySetSource::Discovery(issuer) => client.discover(issuer).await,
        KeySetSource::File(_) => Err("a file does not have a URL".to_owned()),
    }
}

/// A thread that fetches keys. Dropping this value stops the fetch.
struct Fetching(RuntimeThread);

impl Drop for Fetching {
    fn drop(&mut self) {
        self.0.main().abort();
    }
}

/// The number of characters of a redirect's target in the log.
const LONGEST_LOCATION: usize = 200;

/// An HTTP client that limits the size of responses.
struct KeySetClient {
    client: reqwest::Client,
    max_size: usize,
    loopback: bool,
}

impl KeySetClient {
    fn new(declaration: &Jwks) -> Result<Self, String> {
        let mut builder = reqwest::Client::builder();
        if declaration.loopback {
            // A proxy would respond instead of the server on this machine.
            builder = builder.no_proxy();
        }
        let client = builder
            // Redirects are not followed, because their target is not the configured URL.
            .redirect(redirect::Policy::none())
            .https_only(!declaration.loopback)
            .tls_certs_merge(roots(&declaration.root_certificates)?)
            .build();
        let client = client.map_err(|error| chain(&error))?;
        Ok(Self { client, max_size: declaration.max_size, loopback: declaration.loopback })
    }

    /// Fetches the document at a URL.
    async fn get(&self, address: &str) -> Result<FetchedDocument, String> {
        let url = check_address(address, self.loopback)?;
        let mut response = self.client.get(url).send().await.map_err(|error| chain(&error))?;
        if response.status().is_redirection() {
            let location: String =
                text(&response, &LOCATION).unwrap_or_default().chars().take(LONGEST_LOCATION).collect();
            return Err(format!(
                "{address} responded with {}, a redirect to {location:?}, which is not followed; configure the address at which the keys are",
                response.status()
            ));
        }
        if response.status() != StatusCode::OK {
            return Err(format!("{address} responded with {}", response.status()));
        }
        let cache_control = text(&response, &CACHE_CONTROL);
        let age = text(&response, &AGE);
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| chain(&error))? {
            if bytes.len() + piece.len() > self.max_size {
                return Err(format!("{address} responded with more than {} bytes", self.max_size));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(FetchedDocument { bytes, cache_control, age })
    }

    /// Fetches the keys from the URL that an issuer publishes (OpenID Connect Discovery 1.0, section 4).
    async fn discover(&self, issuer: &str) -> Result<FetchedDocument, String> {
        #[derive(Deserialize)]
        struct Metadata {
            issuer: String,
            jwks_uri: String,
        }
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let document = self.get(&address).await?;
        let metadata: Metadata = serde_json::from_slice(&document.bytes)
            .map_err(|error| format!("{address} is not the metadata of an issuer: {error}"))?;
        if metadata.issuer != issuer {
            return Err(format!("{address} describes another issuer: {:?}", metadata.issuer));
        }
        self.get(&metadata.jwks_uri).await
    }
}

/// Checks that the configured root certificates can be parsed. Does not load the root certificates of the system.
pub(crate) fn check_roots(pems: &[Vec<u8>]) -> Result<(), String> {
    if pems.is_empty() {
        return Ok(());
    }
    let client = reqwest::Client::builder().tls_certs_only(roots(pems)?).build();
    client.map(drop).map_err(|error| format!("a root certificate cannot be used: {}", chain(&error)))
}

fn roots(pems: &[Vec<u8>]) -> Result<Vec<Certificate>, String> {
    let mut roots = Vec::new();
    for pem in pems {
        let found = Certificate::from_pem_bundle(pem).unwrap_or_default();
        if found.is_empty() {
            return Err("a root certificate is not in PEM, which starts with `-----BEGIN CERTIFICATE-----`".to_owned());
        }
        roots.extend(found);
    }
    Ok(roots)
}

/// Parses and checks the URL of a key set. The URL must use `https`, or `http` on this machine if that is allowed.
pub(super) fn check_address(address: &str, loopback: bool) -> Result<Url, String> {
    let url = Url::parse(address).map_err(|error| format!("`{address}` is not an address: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        // The message does not repeat the URL, because messages are logged.
        return Err("the URL of keys must not contain a user name or password, because URLs are logged; use a public URL of the issuer".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if loopback && is_loopback(&url) => Ok(url),
        "http" => Err(format!(
            "keys cannot be fetched from `{address}`, because anyone on the network could change them; use https, or `.allow_loopback_http()` for an address of this machine"
        )),
        scheme => Err(format!("keys cannot be fetched by `{scheme}` from `{address}`; use https")),
    }
}

fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn text(response: &Response, name: &HeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// Formats an error and its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_fetched() {
        for (address, loopback, expected) in [
            ("https://login.example.com/keys", false, true),
            ("http://login.example.com/keys", true, false),
            ("http://127.0.0.1:9/keys", false, false),
            ("http://127.0.0.1:9/keys", true, true),
            ("http://localhost/keys", true, true),
            ("http://[::1]:9/keys", true, true),
            ("http://127.0.0.1.example.com/", true, false),
            ("http://localhost.example.com/", true, false),
            ("http://user@127.0.0.1@example.com/", true, false),
            ("https://user:secret@login.example.com/keys", false, false),
            ("https://token@login.example.com/keys", false, false),
            ("file:///etc/passwd", true, false),
            ("keys.json", true, false),
            ("", true, false),
        ] {
            assert_eq!(check_address(address, loopback).is_ok(), expected, "{address} {loopback}");
        }
    }
}
