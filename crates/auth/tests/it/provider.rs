//! A provider of keys on a real socket, which does what a test tells it to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use restwright_auth::{Issuer, Jwks, JwtAuthenticator, KeyProvider};
use restwright_core::{Clock, Component};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::pairs::{AUDIENCE, ISSUER, NOW, Pair, claims_with, set};
use crate::request::{Verdict, ask};

pub(crate) struct Provider {
    address: SocketAddr,
    response: Arc<Mutex<ProviderResponse>>,
    fetches: Arc<AtomicUsize>,
    tls: Option<Arc<Mutex<Arc<ServerConfig>>>>,
}

#[derive(Clone)]
pub(crate) enum ProviderResponse {
    Text {
        status: &'static str,
        headers: String,
        body: String,
    },
    /// Responds when the test has come to the barrier too.
    Held(Arc<Barrier>, Box<ProviderResponse>),
    /// Says nothing.
    Hang,
    /// Sends interim responses as long as they are taken (RFC 9110, section 15.2).
    Interim,
    /// Closes the connection.
    Close,
}

impl ProviderResponse {
    pub(crate) fn keys(keys: &[Value]) -> Self {
        Self::Text { status: "200 OK", headers: "Cache-Control: max-age=600\r\n".to_owned(), body: set(keys) }
    }

    pub(crate) fn text(status: &'static str, headers: &str, body: impl Into<String>) -> Self {
        Self::Text { status, headers: headers.to_owned(), body: body.into() }
    }
}

impl Provider {
    pub(crate) fn new(response: ProviderResponse) -> Self {
        Self::listen(response, None)
    }

    /// A provider that speaks HTTPS.
    pub(crate) fn over_tls(response: ProviderResponse, config: ServerConfig) -> Self {
        Self::listen(response, Some(Arc::new(Mutex::new(Arc::new(config)))))
    }

    fn listen(response: ProviderResponse, tls: Option<Arc<Mutex<Arc<ServerConfig>>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let provider = Self {
            address: listener.local_addr().unwrap(),
            response: Arc::new(Mutex::new(response)),
            fetches: Arc::default(),
            tls,
        };
        let (response, fetches, tls) = (provider.response.clone(), provider.fetches.clone(), provider.tls.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (response, fetches, tls) = (response.clone(), fetches.clone(), tls.clone());
                thread::spawn(move || match tls {
                    Some(tls) => {
                        let connection = ServerConnection::new(tls.lock().unwrap().clone()).unwrap();
                        serve(StreamOwned::new(connection, stream), &response, &fetches);
                    }
                    None => serve(stream, &response, &fetches),
                });
            }
        });
        provider
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/keys", self.issuer())
    }

    pub(crate) fn issuer(&self) -> String {
        format!("{}://{}", if self.tls.is_some() { "https" } else { "http" }, self.address)
    }

    /// Shows another certificate from the next connection on.
    pub(crate) fn presents(&self, config: ServerConfig) {
        *self.tls.as_ref().unwrap().lock().unwrap() = Arc::new(config);
    }

    pub(crate) fn responds(&self, response: ProviderResponse) {
        *self.response.lock().unwrap() = response;
    }

    pub(crate) fn fetches(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }
}

fn serve(stream: impl Read + Write, response: &Mutex<ProviderResponse>, fetches: &AtomicUsize) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
        line.clear();
    }
    // A client that does not like the certificate asks for nothing.
    if line.is_empty() {
        return;
    }
    // The response is settled when the fetch is counted.
    let mut response = response.lock().unwrap().clone();
    fetches.fetch_add(1, Ordering::SeqCst);
    if let ProviderResponse::Held(barrier, then) = response {
        barrier.wait();
        response = *then;
    }
    match response {
        ProviderResponse::Text { status, headers, body } => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
            // A client that has enough closes the connection.
            let stream = reader.get_mut();
            let _ = stream.write_all((head + &body).as_bytes());
            let _ = stream.flush();
        }
        ProviderResponse::Hang => thread::sleep(Duration::from_secs(20)),
        ProviderResponse::Interim => {
            let many = "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000);
            while reader.get_mut().write_all(many.as_bytes()).is_ok() {}
        }
        ProviderResponse::Close | ProviderResponse::Held(..) => {}
    }
}

/// A provider, the authenticator that uses it, and the clock by which both go.
pub(crate) struct Scene {
    pub(crate) provider: Provider,
    pub(crate) keys: KeyProvider,
    pub(crate) authenticator: JwtAuthenticator,
    pub(crate) clock: Clock,
}

impl Scene {
    pub(crate) async fn new(response: ProviderResponse) -> Self {
        let scene = Self::unstarted(response, |declaration| declaration);
        scene.keys.start().await.unwrap();
        scene
    }

    pub(crate) fn unstarted(response: ProviderResponse, more: impl FnOnce(Jwks) -> Jwks) -> Self {
        Self::with(Provider::new(response), |declaration| more(declaration.allow_loopback_http()))
    }

    pub(crate) fn with(provider: Provider, more: impl FnOnce(Jwks) -> Jwks) -> Self {
        let clock = Clock::manual(NOW);
        let declaration = Jwks::url(provider.url()).timeout(Duration::from_secs(15)).clock(clock.clone());
        let keys = more(declaration).provider();
        let issuer = Issuer::new(ISSUER).audience(AUDIENCE).provider(keys.clone());
        let authenticator = JwtAuthenticator::new(issuer).clock(clock.clone());
        Self { provider, keys, authenticator, clock }
    }

    pub(crate) async fn ask(&self, token: &str) -> Verdict {
        ask(&self.authenticator, &[("Authorization", format!("Bearer {token}"))]).await
    }

    /// A token that is good for ten minutes from now.
    pub(crate) fn token(&self, pair: &Pair, id: &str) -> String {
        let now = self.clock.unix_seconds();
        let claims = claims_with(&json!({ "exp": now + 600, "iat": now }));
        let algorithm = if matches!(pair, Pair::Rsa(_)) { "RS256" } else { "ES256" };
        pair.token(&json!({ "alg": algorithm, "kid": id }), &claims)
    }

    #[track_caller]
    pub(crate) fn assert_passes(verdict: &Verdict, when: &str) {
        assert_eq!(*verdict, Verdict::Caller("ann".to_owned()), "{when}");
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

/// Waits for what another thread does.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} did not happen");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The output of a future that waits for nothing.
pub(crate) async fn at_once<F: Future>(future: F) -> Option<F::Output> {
    tokio::time::timeout(Duration::ZERO, future).await.ok()
}
