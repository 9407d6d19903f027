//! Log users in with a session in a cookie, and log them out.
//!
//! `cargo run -p restwright-examples --example cookies`, then log in, and send the cookie of the response:
//!
//! ```sh
//! curl -si -H 'Content-Type: application/json' -d '{"name": "ann", "password": "correct horse"}' http://127.0.0.1:8080/login
//! curl -s -H 'Cookie: __Host-session=..' http://127.0.0.1:8080/me
//! ```
//!
//! The example `session_cookie` adds what a public site needs: an expiry, a check of the origin and a limit on login attempts.

use std::collections::HashMap;
use std::sync::Arc;

use restwright::auth::{Authentication, Authenticator, Rejection};
use restwright::http::{HttpRequest, StatusCode};
use restwright::operation::{ApiKeyLocation, SecurityScheme};
use restwright::prelude::*;
use restwright::problem::ProblemKind;
use serde::Deserialize;
use tokio::sync::Mutex;

/// With the prefix `__Host-`, browsers accept the cookie only over HTTPS and only from this host.
const COOKIE: &str = "__Host-session";
const WRONG: ProblemKind = ProblemKind::new(StatusCode::FORBIDDEN, "wrong_password", "Wrong name or password");

/// The users by the identifiers of their sessions. An application stores them in its database.
#[derive(Clone, Default)]
struct Sessions(Arc<Mutex<HashMap<String, String>>>);

impl Authenticator for Sessions {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Cookie, COOKIE)
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let session = match request.only_cookie(COOKIE) {
            Ok(Some(session)) => session,
            Ok(None) => return Authentication::NoCredentials,
            Err(error) => return Authentication::Rejected(Rejection::new(error.to_string())),
        };
        match self.0.lock().await.get(session) {
            Some(user) => Authentication::Identity(Identity::builder(user).build()),
            None => Authentication::Rejected(Rejection::new("the session is unknown or has ended")),
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
struct LogIn {
    #[body]
    credentials: Credentials,
}

#[derive(Request)]
struct LogOut {
    #[cookie("__Host-session")]
    session: String,
}

#[derive(Request)]
struct ViewMe {
    caller: Caller,
}

/// The session has started or ended.
#[derive(Response)]
#[response(status = 204)]
struct SessionChanged {
    /// The cookie of the session. `Max-Age=0` clears it.
    #[header("Set-Cookie")]
    cookie: String,
}

fn set_cookie(session: &str, max_age: u32) -> SessionChanged {
    SessionChanged {
        cookie: format!("{COOKIE}={session}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age={max_age}"),
    }
}

async fn log_in(Sessions(sessions): &Sessions, Credentials { name, password }: Credentials) -> Result<SessionChanged> {
    // An application compares with a slow hash, such as Argon2id, in its database.
    if (name.as_str(), password.as_str()) != ("ann", "correct horse") {
        return Err(Problem::new(WRONG));
    }
    // 128 random bits, so no one can guess the identifier.
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Problem::internal(error.to_string()))?;
    let session = format!("{:032x}", u128::from_ne_bytes(random));
    sessions.lock().await.insert(session.clone(), name);
    Ok(set_cookie(&session, 12 * 60 * 60))
}

fn api() -> Result<Api, BuildErrors> {
    let sessions = Sessions::default();
    let (opened, closed) = (sessions.clone(), sessions.clone());
    let log_in_route = Route::post("/login").id("logIn").summary("Start a session").public().problem(WRONG);
    let log_out_route = Route::post("/logout").id("logOut").summary("End the session").authorize("session", [""; 0]);
    let me = Route::get("/me").id("viewMe").summary("View your name").authorize("session", [""; 0]);
    Api::builder(Configuration::new("cookies", "1.0.0").authenticator("session", sessions))
        .controller(log_in_route.handler(async move |request: LogIn| log_in(&opened, request.credentials).await))
        .controller(log_out_route.handler(async move |LogOut { session }| {
            closed.0.lock().await.remove(&session);
            Ok(set_cookie("", 0))
        }))
        .controller(me.handler(async |ViewMe { caller }| Ok(Data(caller.subject().to_owned()))))
        .build()
}

fn main() -> Result<(), restwright::ServeError> {
    restwright::run(restwright::serve(api()?, "127.0.0.1:8080"))
}

#[cfg(test)]
mod tests {
    use restwright::testing::TestClient;
    use serde_json::json;

    #[test]
    fn a_session_lasts_from_login_to_logout() {
        let client = TestClient::new(super::api().unwrap());
        client.post("/login").json(&json!({"name": "ann", "password": "1234"})).send().assert_problem("wrong_password");
        client.get("/me").send().assert_status(401).assert_documented();

        let started = client.post("/login").json(&json!({"name": "ann", "password": "correct horse"})).send();
        started.assert_status(204).assert_documented();
        let (cookie, attributes) = started.header("set-cookie").unwrap().split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200");
        let send = |request: restwright::testing::TestRequest| request.header("Cookie", cookie).send();

        send(client.get("/me")).assert_documented().assert_json(&json!({"data": "ann"}));
        let ended = send(client.post("/logout"));
        let cleared = "__Host-session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0";
        ended.assert_documented().assert_header("Set-Cookie", cleared);
        send(client.get("/me")).assert_status(401).assert_documented();
    }
}
