//! An authenticator of one's own: a session in a cookie, with logging in and out.
//!
//! `cargo run -p restwright --example session_cookie`, then
//! `curl -si -H 'Content-Type: application/json' -d '{"name": "ann", "password": "correct horse"}' http://127.0.0.1:8080/login`.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use restwright::auth::{Access, Authentication, Authenticator, Rejection};
use restwright::http::HttpRequest;
use restwright::operation::SecurityScheme;
use restwright::prelude::*;
use restwright::problem::Location;
use serde::{Deserialize, Serialize};

const COOKIE: &str = "session";

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let api = api()?;
    restwright::run(async { Ok(restwright::serve(api, "127.0.0.1:8080").await?) })
}

/// The application; the server and the tests read it.
///
/// # Errors
/// Mistakes in the declaration.
fn api() -> Result<Api, StartErrors> {
    let sessions = Sessions::default();
    let configuration = Configuration::new("sessions", "1.0.0").authenticator(COOKIE, sessions.clone());
    Api::builder(configuration).controller(LogIn(sessions.clone())).controller(LogOut(sessions)).controller(Me).build()
}

/// The sessions; an application of several processes keeps them in its database.
#[derive(Clone, Default)]
struct Sessions(Arc<Mutex<HashMap<String, String>>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session and returns its identifier, which nobody can guess.
    fn begin(&self, user: &str) -> Result<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| Problem::internal(error.to_string()))?;
        let id = random.iter().fold(String::new(), |mut id, byte| {
            let _ = write!(id, "{byte:02x}");
            id
        });
        self.lock().insert(id.clone(), user.to_owned());
        Ok(id)
    }
}

/// What the endpoint needs of a session beside its user: which one it is.
struct SessionId(String);

impl Authenticator for Sessions {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::ApiKey { location: Location::Cookie, name: COOKIE.to_owned(), description: None }
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let Some(id) = request.cookie(COOKIE) else { return Authentication::NoCredentials };
        match self.lock().get(id) {
            Some(user) => Authentication::Identity(Identity::builder(user).build().with(SessionId(id.to_owned()))),
            None => Authentication::Rejected(Rejection::new("the session is not known, or over")),
        }
    }
}

/// Who wants to begin a session.
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

/// The session has begun.
#[derive(Response)]
#[response(status = 204)]
struct LoggedIn {
    /// The session, for this site alone and out of the reach of scripts.
    #[header("Set-Cookie")]
    cookie: String,
}

#[derive(Debug, Problem)]
enum LogInError {
    /// Nobody has this name and password.
    #[problem(status = 403, code = "wrong_password", title = "Wrong name or password")]
    Wrong,
}

struct LogIn(Sessions);

impl Controller for LogIn {
    type Request = LogInRequest;
    type Response = LoggedIn;

    fn route(&self) -> Route {
        Route::post("/login").summary("Begin a session").public().problems::<LogInError>()
    }

    async fn handle(&self, LogInRequest { credentials }: LogInRequest) -> Result<LoggedIn> {
        // An application compares a slow hash (Argon2id) with its database's.
        if (credentials.name.as_str(), credentials.password.as_str()) != ("ann", "correct horse") {
            return Err(LogInError::Wrong.into());
        }
        let id = self.0.begin(&credentials.name)?;
        Ok(LoggedIn { cookie: format!("{COOKIE}={id}; Path=/; HttpOnly; Secure; SameSite=Strict") })
    }
}

#[derive(Request)]
struct SessionRequest {
    identity: Identity,
}

/// The session is over.
#[derive(Response)]
#[response(status = 204)]
struct LoggedOut;

struct LogOut(Sessions);

impl Controller for LogOut {
    type Request = SessionRequest;
    type Response = LoggedOut;

    fn route(&self) -> Route {
        Route::post("/logout").summary("End the session").access(Access::authenticated(COOKIE))
    }

    async fn handle(&self, SessionRequest { identity }: SessionRequest) -> Result<LoggedOut> {
        if let Some(SessionId(id)) = identity.get() {
            self.0.lock().remove(id);
        }
        Ok(LoggedOut)
    }
}

/// Whose session it is.
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
        Route::get("/me").summary("Whose session it is").access(Access::authenticated(COOKIE))
    }

    async fn handle(&self, SessionRequest { identity }: SessionRequest) -> Result<MeResponse> {
        Ok(MeResponse { name: identity.subject().unwrap_or_default().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_begins_and_ends() {
        let client = TestClient::new(api().unwrap());
        client.get("/me").send().assert_status(401).assert_documented();
        let wrong = json!({ "name": "ann", "password": "wrong" });
        client
            .post("/login")
            .json(&wrong)
            .send()
            .assert_status(403)
            .assert_problem("wrong_password")
            .assert_documented();

        let begun = client.post("/login").json(&json!({ "name": "ann", "password": "correct horse" })).send();
        begun.assert_status(204).assert_documented();
        let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let ask = |path: &str| client.get(path).header("Cookie", &cookie).send();
        assert_eq!(ask("/me").assert_status(200).assert_documented().text(), r#"{"name":"ann"}"#);
        client.post("/logout").header("Cookie", &cookie).send().assert_status(204).assert_documented();
        ask("/me").assert_status(401).assert_documented();
    }
}
