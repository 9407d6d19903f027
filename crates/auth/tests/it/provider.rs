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
    answer: Arc<Mutex<Answer>>,
    fetches: Arc<AtomicUsize>,
    tls: Option<Arc<Mutex<Arc<ServerConfig>>>>,
}

#[derive(Clone)]
pub(crate) enum Answer {
    Text {
        status: &'static str,
        headers: String,
        body: String,
    },
    /// Answers when the test has come to the barrier too.
    Held(Arc<Barrier>, Box<Answer>),
    /// Says nothing.
    Hang,
    /// Closes the connection.
    Close,
}

impl Answer {
    pub(crate) fn keys(keys: &[Value]) -> Self {
        Self::Text { status: "200 OK", headers: "Cache-Control: max-age=600\r\n".to_owned(), body: set(keys) }
    }

    pub(crate) fn text(status: &'static str, headers: &str, body: impl Into<String>) -> Self {
        Self::Text { status, headers: headers.to_owned(), body: body.into() }
    }
}

impl Provider {
    pub(crate) fn new(answer: Answer) -> Self {
        Self::listen(answer, None)
    }

    /// A provider that speaks HTTPS.
    pub(crate) fn over_tls(answer: Answer, config: ServerConfig) -> Self {
        Self::listen(answer, Some(Arc::new(Mutex::new(Arc::new(config)))))
    }

    fn listen(answer: Answer, tls: Option<Arc<Mutex<Arc<ServerConfig>>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let provider = Self {
            address: listener.local_addr().unwrap(),
            answer: Arc::new(Mutex::new(answer)),
            fetches: Arc::default(),
            tls,
        };
        let (answer, fetches, tls) = (provider.answer.clone(), provider.fetches.clone(), provider.tls.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, fetches, tls) = (answer.clone(), fetches.clone(), tls.clone());
                thread::spawn(move || match tls {
                    Some(tls) => {
                        let connection = ServerConnection::new(tls.lock().unwrap().clone()).unwrap();
                        serve(StreamOwned::new(connection, stream), &answer, &fetches);
                    }
                    None => serve(stream, &answer, &fetches),
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

    pub(crate) fn answers(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    pub(crate) fn fetches(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }
}

fn serve(stream: impl Read + Write, answer: &Mutex<Answer>, fetches: &AtomicUsize) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
        line.clear();
    }
    // A client that does not like the certificate asks for nothing.
    if line.is_empty() {
        return;
    }
    // What is answered from here on is settled when the fetch is counted.
    let mut answer = answer.lock().unwrap().clone();
    fetches.fetch_add(1, Ordering::SeqCst);
    if let Answer::Held(barrier, then) = answer {
        barrier.wait();
        answer = *then;
    }
    match answer {
        Answer::Text { status, headers, body } => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
            // A client that has enough closes the connection.
            let stream = reader.get_mut();
            let _ = stream.write_all((head + &body).as_bytes());
            let _ = stream.flush();
        }
        Answer::Hang => thread::sleep(Duration::from_secs(20)),
        Answer::Close | Answer::Held(..) => {}
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
    pub(crate) async fn new(answer: Answer) -> Self {
        let scene = Self::unstarted(answer, |declaration| declaration);
        scene.keys.start().await.unwrap();
        scene
    }

    pub(crate) fn unstarted(answer: Answer, more: impl FnOnce(Jwks) -> Jwks) -> Self {
        Self::with(Provider::new(answer), |declaration| more(declaration.allow_loopback_http()))
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
