//! A custom authenticator: sessions in a cookie, with login, logout and expiry, protected from requests of other sites.
//!
//! `cargo run -p restwright --example session_cookie`, then
//! `curl -si -H 'Content-Type: application/json' -d '{"name": "ann", "password": "correct horse"}' http://127.0.0.1:8080/login`.

mod same_origin;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use restwright::auth::{Access, Authentication, Authenticator, Rejection};
use restwright::http::{HttpRequest, StatusCode};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::problem::ProblemKind;
use restwright::rate_limit::{Quota, RateLimit};
use same_origin::SameOrigin;
use serde::{Deserialize, Serialize};

/// Because of this prefix, browsers accept the cookie only over HTTPS and from this host, so that no other host of the domain can set it.
const COOKIE: &str = "__Host-session";
const SCHEME: &str = "session";
const WRONG: ProblemKind = ProblemKind::new(StatusCode::FORBIDDEN, "wrong_password", "Wrong name or password");

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let api = api(Duration::from_secs(12 * 60 * 60))?;
    restwright::run(async { Ok(restwright::serve(api, "127.0.0.1:8080").await?) })
}

/// The application, for the server and for tests.
fn api(lifetime: Duration) -> Result<Api, BuildErrors> {
    let sessions = Sessions { open: Arc::default(), lifetime };
    let configuration = Configuration::new("sessions", "1.0.0").authenticator(SCHEME, sessions.clone());
    Api::builder(configuration)
        .middleware(SameOrigin)
        .controller(LogIn(sessions.clone()))
        .controller(LogOut(sessions))
        .controller(Me)
        .build()
}

/// The sessions by their identifiers. An application of several processes stores them in its database, under the SHA-256 of these.
#[derive(Clone)]
struct Sessions {
    open: Arc<Mutex<HashMap<String, Session>>>,
    lifetime: Duration,
}

struct Session {
    user: String,
    end: Instant,
}

impl Sessions {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a session, removes the expired ones, and returns its cookie. Its identifier is new and random, so that nobody can guess
    /// it or have planted it.
    fn start(&self, user: &str) -> Result<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| Problem::internal(error.to_string()))?;
        let id = format!("{:032x}", u128::from_ne_bytes(random));
        let now = Instant::now();
        let mut open = self.open();
        open.retain(|_, session| now < session.end);
        open.insert(id.clone(), Session { user: user.to_owned(), end: now + self.lifetime });
        Ok(cookie(&id, self.lifetime))
    }
}

/// Returns a cookie that scripts cannot read and that is not sent with requests of other sites.
fn cookie(id: &str, lifetime: Duration) -> String {
    format!("{COOKIE}={id}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={}", lifetime.as_secs())
}

/// The identifier of a session, which an endpoint needs in addition to its user.
struct SessionId(String);

impl Authenticator for Sessions {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Cookie, COOKIE)
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let id = match request.only_cookie(COOKIE) {
            Ok(Some(id)) => id,
            Ok(None) => return Authentication::NoCredentials,
            // One of them may be planted.
            Err(error) => return Authentication::Rejected(Rejection::new(error.to_string())),
        };
        match self.open().get(id).filter(|session| Instant::now() < session.end) {
            Some(session) => {
                Authentication::Identity(Identity::builder(&session.user).build().with(SessionId(id.to_owned())))
            }
            None => Authentication::Rejected(Rejection::new("the session is unknown, or has expired")),
        }
    }
}

/// The credentials of a login.
#[derive(Deserialize, Schema)]
struct Credentials {
    #[property(min_length = 1, max_length = 100)]
    name: String,
    #[property(min_length = 1, max_length = 200)]
    password: String,
}

#[derive(Request)]
struct LogInRequest {
    #[body]
    credentials: Credentials,
}

/// The session has started, or has ended.
#[derive(Response)]
#[response(status = 204)]
struct SessionResponse {
    /// The cookie of the session, or one that clears it.
    #[header("Set-Cookie")]
    cookie: String,
}

struct LogIn(Sessions);

impl Controller for LogIn {
    type Request = LogInRequest;
    type Response = SessionResponse;

    fn route(&self) -> Route {
        let guesses = RateLimit::per_ip("login", Quota::per_minute(5));
        Route::post("/login").summary("Start a session").public().middleware(guesses).problem(WRONG)
    }

    async fn handle(&self, LogInRequest { credentials }: LogInRequest) -> Result<SessionResponse> {
        // An application verifies a slow hash (Argon2id) of its database, and any such hash for an unknown name.
        if (credentials.name.as_str(), credentials.password.as_str()) != ("ann", "correct horse") {
            return Err(Problem::new(WRONG));
        }
        Ok(SessionResponse { cookie: self.0.start(&credentials.name)? })
    }
}

#[derive(Request)]
struct SessionRequest {
    identity: Identity,
}

struct LogOut(Sessions);

impl Controller for LogOut {
    type Request = SessionRequest;
    type Response = SessionResponse;

    fn route(&self) -> Route {
        Route::post("/logout").summary("End the session").access(Access::authenticated(SCHEME))
    }

    async fn handle(&self, SessionRequest { identity }: SessionRequest) -> Result<SessionResponse> {
        if let Some(SessionId(id)) = identity.get() {
            self.0.open().remove(id);
        }
        Ok(SessionResponse { cookie: cookie("", Duration::ZERO) })
    }
}

/// The user of the session.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct MeResponse {
    name: String,
}

struct Me;

impl Controller for Me {
    type Request = SessionRequest;
    type Response = MeResponse;

    fn route(&self) -> Route {
        Route::get("/me").summary("View the user of the session").access(Access::authenticated(SCHEME))
    }

    async fn handle(&self, SessionRequest { identity }: SessionRequest) -> Result<MeResponse> {
        Ok(MeResponse { name: identity.subject().unwrap_or_default().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use restwright::testing::{TestClient, TestResponse};
    use serde_json::json;

    use super::*;

    const ATTRIBUTES: &str = "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=";

    fn client(lifetime: u64) -> TestClient {
        TestClient::new(api(Duration::from_secs(lifetime)).unwrap())
    }

    fn log_in(client: &TestClient, password: &str) -> TestResponse {
        client.post("/login").json(&json!({ "name": "ann", "password": password })).send()
    }

    #[test]
    fn a_session_starts_and_ends() {
        let client = client(60);
        let started = log_in(&client, "correct horse");
        let (cookie, lifetime) = started.header("set-cookie").unwrap().split_once(ATTRIBUTES).unwrap();
        started.assert_status(204).assert_documented();
        assert_eq!(lifetime, "60");
        let ask = |path: &str| client.get(path).header("Cookie", cookie).send();
        assert_eq!(ask("/me").assert_status(200).assert_documented().text(), r#"{"name":"ann"}"#);
        let planted = client.get("/me").header("Cookie", format!("{cookie}; {COOKIE}=planted")).send();
        planted.assert_status(401).assert_documented();
        let ended = client.post("/logout").header("Cookie", cookie).send();
        let end = format!("__Host-session={ATTRIBUTES}0");
        ended.assert_status(204).assert_documented().assert_header("Set-Cookie", &end);
        ask("/me").assert_status(401).assert_documented();
    }

    #[test]
    fn sessions_expire() {
        let sessions = Sessions { open: Arc::default(), lifetime: Duration::ZERO };
        (0..10).for_each(|_| drop(sessions.start("ann").unwrap()));
        assert_eq!(sessions.open().len(), 1);
        let client = client(0);
        let started = log_in(&client, "correct horse");
        client.get("/me").header("Cookie", started.header("set-cookie").unwrap()).send().assert_status(401);
    }

    #[test]
    fn guessing_passwords_is_limited() {
        let client = client(60);
        for _ in 0..5 {
            log_in(&client, "wrong").assert_problem("wrong_password").assert_documented();
        }
        log_in(&client, "correct horse").assert_problem("rate_limited").assert_documented();
    }
}
