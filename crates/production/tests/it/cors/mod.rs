//! Pages of other origins: what their browsers are told, byte for byte.

mod building;
mod preflights;
mod responses;

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use restwright::Next;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, Authentication, Authenticator, KeyList};
use restwright::http::{HttpRequest, HttpResponse, Method};
use restwright::operation::{
    ApiKeyLocation, HeaderObject, Operation, ParameterLocation, ParameterObject, SchemaUse, SecurityScheme,
};
use restwright::prelude::*;
use restwright::production::Cors;
use restwright::rate_limit::{Quota, RateLimit};
use restwright::schema::SchemaObject;
use serde::{Deserialize, Serialize};

use crate::server::{Reply, Server};

const KEY: &str = "shop.4c8c8f55d9a14bb6b4b6b31ce1c6cbd04c8c8f55d9a14bb6b4b6b31ce1c6cbd0";
const SHOP: &str = "Origin: https://shop.example.com";

#[derive(Serialize, Deserialize, Schema)]
struct Pet {
    name: String,
}

#[derive(Response)]
#[response(status = 200)]
struct OnePet {
    #[header("X-Total")]
    total: i64,
    #[header("Vary")]
    vary: Option<&'static str>,
    #[header("Last-Modified")]
    modified: Option<&'static str>,
    #[body]
    pet: Pet,
}

#[derive(Request)]
struct ChangePet {
    #[segment]
    id: i64,
    #[header("If-Match")]
    tag: Option<String>,
    #[body]
    pet: Pet,
}

/// A scheme that only describes itself.
struct Scheme(SecurityScheme);

impl Authenticator for Scheme {
    fn describe(&self) -> SecurityScheme {
        self.0.clone()
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::NoCredentials
    }
}

/// A middleware that is planned after the others, and says so.
struct Late;

impl Middleware for Late {
    fn describe(&self, operation: &mut Operation) {
        let text = || SchemaObject::string();
        let reason = ParameterObject::new(ParameterLocation::Header, "X-Reason", SchemaUse::input(text()));
        operation.parameters.push(reason);
        operation.add_common_header(HeaderObject::new("X-Late", SchemaUse::output(text())).optional());
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        Ok(next.run(request).await)
    }
}

fn pet(vary: Option<&'static str>) -> OnePet {
    OnePet { total: 1, vary, modified: None, pet: Pet { name: "Bo".to_owned() } }
}

static OPTIONS_CALLS: AtomicUsize = AtomicUsize::new(0);

fn api(cors: Cors) -> std::result::Result<Api, BuildErrors> {
    let key = KEY.parse::<ApiKey>().unwrap().subject("shop").scopes(["write"]);
    let configuration = Configuration::new("pets", "1.0.0")
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])))
        .authenticator("token", Scheme(SecurityScheme::bearer("JWT")))
        .authenticator("session", Scheme(SecurityScheme::api_key(ApiKeyLocation::Cookie, "session")));
    let public = |path: &str| Route::get(path).id(path.trim_matches('/')).public();
    let write = Access::authenticated("key").or("token").or("session").all_scopes(["write"]);
    let change = async |request: ChangePet| {
        assert!(request.id > 0 && request.tag.is_none());
        Ok(OnePet { pet: request.pet, ..pet(None) })
    };
    let limited = public("/limited").middleware(RateLimit::per_ip("once", Quota::per_minute(1)));
    let own = Route::new(Method::OPTIONS, "/own").id("own").access(Access::authenticated("key").or("session"));
    Api::builder(configuration)
        .middleware(cors)
        .controller(public("/pets").handler(async |()| Ok(pet(None))))
        .controller(Route::query("/queried").id("queried").public().handler(async |()| Ok(pet(None))))
        .controller(Route::patch("/pets/{id}").id("change").access(write).middleware(Late).handler(change))
        .controller(Route::delete("/pets/{id}").id("delete").authorize("key", ["write"]).handler(async |head: Id| {
            let _ = head.id;
            Ok(NoContent)
        }))
        .controller(public("/varies").handler(async |()| Ok(pet(Some("Accept-Language")))))
        .controller(public("/varies-already").handler(async |()| Ok(pet(Some("Accept, origin")))))
        .controller(public("/varies-on-all").handler(async |()| Ok(pet(Some("*")))))
        .controller(public("/varies-by-request").middleware(VaryOnRequest).handler(async |()| Ok(pet(None))))
        .controller(limited.handler(async |()| Ok(pet(None))))
        .controller(public("/panic").handler(async |()| -> Result<OnePet> { panic!("as the test wants") }))
        .controller(own.handler(async |()| {
            OPTIONS_CALLS.fetch_add(1, Ordering::Relaxed);
            Ok(NoContent)
        }))
        .build()
}

#[derive(Request)]
struct Id {
    #[segment]
    id: i64,
}

/// A middleware that sets `Vary` on the request, which replaces the header of the response.
struct VaryOnRequest;

impl Middleware for VaryOnRequest {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.set_response_header("vary".parse().unwrap(), "Accept".parse().unwrap());
        Ok(next.run(request).await)
    }
}

fn some() -> Cors {
    Cors::new()
        .allow_origins(["https://shop.example.com", "http://localhost:3000"])
        .allow_subdomains("https://example.org")
        .allow_credentials()
        .max_age(Duration::from_secs(600))
}

/// The headers of a response that are about origins, in one line.
fn about_origins(reply: &Reply) -> String {
    let mut line = reply.status().to_string();
    for (name, short) in [
        ("access-control-allow-origin", "origin"),
        ("access-control-allow-credentials", "credentials"),
        ("access-control-allow-methods", "methods"),
        ("access-control-allow-headers", "headers"),
        ("access-control-max-age", "age"),
        ("access-control-expose-headers", "expose"),
        ("vary", "vary"),
    ] {
        if let Some(value) = reply.header(name) {
            write!(line, " | {short}: {value}").unwrap();
        }
    }
    line
}

fn preflight(server: &Server, path: &str, headers: &[&str]) -> String {
    about_origins(&server.send("OPTIONS", path, headers))
}

const ASKED: &str = "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
