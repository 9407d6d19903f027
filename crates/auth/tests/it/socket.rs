//! Responses on a socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use restwright_actix::{Host, run};
use restwright_auth::{ApiKey, ApiKeyAuthenticator, Issuer, JwtAuthenticator, KeyList, KeySet};
use restwright_core::auth::Access;
use restwright_core::http::StatusCode;
use restwright_core::operation::ParameterLocation;
use restwright_core::schema::{PropertyCollection, int64, string};
use restwright_core::{Clock, Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::{Api, Group};
use serde_json::json;

use crate::pairs::{AUDIENCE, ISSUER, NOW, P256, RSA, claims_with, encode, set};

struct Takes(Route);

impl Controller for Takes {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone().empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

/// Every way in which a request can be invalid: path, query, header, cookie, body.
fn api(key: ApiKey) -> Api {
    let keys = KeySet::from_json(set(&[P256.jwk("key", json!({}))]).as_bytes()).unwrap();
    let jwt = JwtAuthenticator::new(Issuer::new(ISSUER).audience(AUDIENCE).keys(keys)).clock(Clock::manual(NOW));
    let configuration = Configuration::new("pets", "1.0.0")
        .authenticator("jwt", jwt)
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
    let pet = || PropertyCollection::new("Pet").property(string("name").min_length(1));
    let takes = |route: Route, id: &str| Takes(route.id(id.to_owned()));
    let group = Group::new("/pets")
        .access(Access::authenticated("jwt").or("key").all_scopes(["pets:write"]))
        .controller(takes(Route::get("").parameter(ParameterLocation::Query, int64("page").minimum(1)), "list"))
        .controller(takes(Route::post("").body(pet()), "create"))
        .controller(takes(Route::get("/{id}").parameter(ParameterLocation::Path, int64("id")), "show"))
        .controller(takes(Route::put("/{id}").parameter(ParameterLocation::Path, int64("id")).body(pet()), "replace"))
        .controller(takes(Route::patch("/{id}").parameter(ParameterLocation::Path, int64("id")).body(pet()), "change"))
        .controller(takes(Route::delete("/{id}").parameter(ParameterLocation::Path, int64("id")), "remove"))
        .controller(takes(Route::get("/a/header").parameter(ParameterLocation::Header, int64("X-Depth")), "header"))
        .controller(takes(Route::get("/a/cookie").parameter(ParameterLocation::Cookie, int64("visits")), "cookie"));
    Api::builder(configuration).group(group).build().unwrap()
}

struct Server {
    address: SocketAddr,
    api: Api,
    stop: Option<Box<dyn FnOnce()>>,
}

impl Server {
    fn start(key: ApiKey) -> Self {
        let api = api(key);
        let bound = Host::new(api.clone()).workers(1).bind("127.0.0.1:0").unwrap();
        let (address, stop) = (bound.addresses()[0], bound.stop_handle());
        let thread = std::thread::spawn(move || run(bound.serve()).unwrap());
        let stop = move || {
            stop.stop();
            thread.join().unwrap();
        };
        Self { address, api, stop: Some(Box::new(stop)) }
    }

    fn send(&self, method: &str, path: &str, headers: impl AsRef<[u8]>) -> String {
        let body = if ["POST", "PUT", "PATCH"].contains(&method) { r#"{"name":""}"# } else { "" };
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: pets\r\nConnection: close\r\nCookie: visits=x\r\nX-Depth: x\r\n"
        );
        let content = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(&[head.as_bytes(), headers.as_ref(), content.as_bytes()].concat()).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        String::from_utf8_lossy(&response).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.take().into_iter().for_each(|stop| stop());
    }
}

fn bearer(scope: &str, more: serde_json::Value) -> String {
    let mut changes = json!({ "scope": scope });
    changes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let token = P256.token(&json!({ "alg": "ES256", "kid": "key" }), &claims_with(&changes));
    format!("Authorization: Bearer {token}\r\n")
}

const WRONG: &str = concat!(
    "Bearer realm=\"pets\", error=\"invalid_token\", ",
    "error_description=\"The access token is malformed, expired, or not valid here\", scope=\"pets:write\"\r\n",
);

#[test]
fn who_calls_is_checked_before_what_is_wrong_with_the_call() {
    let new = ApiKey::generate("ci").unwrap();
    let weak = ApiKey::generate("ci").unwrap();
    let server = Server::start(new.key().clone().scopes(["pets:write"]));
    let key = |text: &str| format!("X-Api-Key: {text}\r\n");
    let wrong = RSA.token(&json!({ "alg": "RS256", "kid": "key" }), &claims_with(&json!({})));
    let attempts = [
        (String::new(), 401, "Bearer realm=\"pets\", scope=\"pets:write\"\r\n"),
        (format!("Authorization: Bearer {wrong}\r\n"), 401, WRONG),
        ("Authorization: Bearer\r\n".to_owned(), 401, WRONG),
        (bearer("pets:write", json!({ "exp": NOW - 3600 })), 401, WRONG),
        (format!("{0}{0}", bearer("pets:write", json!({}))), 401, WRONG),
        (key(weak.text()), 401, "ApiKey realm=\"pets\"\r\n"),
        (key("nobody.0123456789abcdef"), 401, "ApiKey realm=\"pets\"\r\n"),
        (bearer("pets:read", json!({})), 403, "error=\"insufficient_scope\", scope=\"pets:write\""),
        (bearer("pets:read pets:write", json!({})), 422, ""),
        (key(new.text()), 422, ""),
    ];
    let mut routes = 0;
    for route in server.api.routes() {
        assert!(!route.admits_guests());
        routes += 1;
        let path = route.template().as_str().replace("{id}", "seven");
        let path = if path == "/pets" { "/pets?page=0" } else { &path };
        for (headers, status, expected) in &attempts {
            let method = route.operation().method.as_str();
            let response = server.send(method, path, headers);
            assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {path} {headers} {response}");
            assert!(response.contains(expected), "{expected}: {response}");
            if *status == 401 {
                assert!(response.contains(r#""code":"unauthenticated""#), "{response}");
                for secret in ["expired at", "signature", "several", "digest", "does not fit"] {
                    assert!(!response.contains(secret), "{secret} in {response}");
                }
            }
        }
    }
    assert_eq!(routes, 8);
}

#[test]
fn credentials_that_are_not_utf_8_are_a_401() {
    let server = Server::start(ApiKey::generate("ci").unwrap().key().clone());
    let header = encode(b"{\"alg\":\"ES256\",\"kid\":\"key\",\"x\":\"\xff\"}");
    let token = format!("Authorization: Bearer {header}.{}.{}\r\n", encode("{}"), encode([1; 64]));
    for (headers, challenge) in [
        (token.into_bytes(), WRONG),
        (b"Authorization: Bearer \xff.\xfe.\xfd\r\n".to_vec(), WRONG),
        (b"Authorization: \xff\r\n".to_vec(), WRONG),
        (b"X-Api-Key: ci.\xff\xfe\r\n".to_vec(), "ApiKey realm=\"pets\"\r\n"),
        (b"X-Api-Key: \xff\r\n".to_vec(), "ApiKey realm=\"pets\"\r\n"),
    ] {
        let response = server.send("GET", "/pets", &headers);
        assert!(response.starts_with("HTTP/1.1 401 "), "{} {response}", headers.escape_ascii());
        assert!(response.contains(challenge) && response.contains(r#""code":"unauthenticated""#), "{response}");
    }
}
