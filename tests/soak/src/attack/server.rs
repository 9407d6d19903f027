//! The application under attack. It has one endpoint for each resource that can be occupied. It uses the defaults of the framework, except a small
//! cap of connections, little memory for bodies, and keys from an issuer that the attacker controls.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use restwright::Host;
use restwright::auth::{ApiKey, ApiKeyAuthenticator, Issuer, Jwks, JwtAuthenticator, KeyList};
use restwright::body::{Bytes, Stream, StreamedBody, StreamingBody};
use restwright::list::{Filter, Page, PageResponse, SortBag, apply};
use restwright::prelude::*;
use restwright::rate_limit::{Quota, RateLimit};
use serde::{Deserialize, Serialize};
use tokio::time::Interval;

use super::{BODY_MEMORY, CONNECTIONS, GRACE, ISSUER};
use crate::http::API_KEY;
use crate::process;

/// Serves until SIGTERM, with keys from the issuer at a port.
pub fn serve(issuer_port: &str) {
    tracing_subscriber::fmt().with_max_level(tracing::Level::INFO).with_writer(std::io::stderr).init();
    let listener = process::listen();
    let api = api(issuer_port).unwrap_or_else(|errors| panic!("{errors}"));
    let host = Host::new(api).workers(2).max_connections(CONNECTIONS).grace(GRACE);
    let bound = host.listen(listener).expect("a bound socket");
    restwright::run(bound.serve()).expect("the server runs");
}

fn api(issuer_port: &str) -> Result<Api, BuildErrors> {
    let keys = Jwks::url(format!("http://127.0.0.1:{issuer_port}/keys")).allow_loopback_http();
    let tokens =
        JwtAuthenticator::new(Issuer::new(ISSUER).audience("soak").jwks(keys.cooldown(Duration::from_secs(2))));
    let key = API_KEY.parse::<ApiKey>().expect("a key").subject("soak").scopes(["read"]);
    let configuration = Configuration::new("attack", "1.0.0")
        .body_memory(BODY_MEMORY)
        .authenticator("token", tokens)
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new([key])));
    let limit = RateLimit::per_ip("limited", Quota::per_minute(10));
    Api::builder(configuration)
        .controller(Route::get("/health").id("health").public().handler(async |()| Ok(Data("ok"))))
        .controller(
            Route::post("/pets").id("createPet").public().handler(async |request: CreatePet| Ok(Data(request.pet))),
        )
        .controller(ListPets((0..1_000).map(Animal::new).collect()))
        .controller(Route::put("/photo").id("uploadPhoto").public().handler(upload))
        .controller(Route::get("/large").id("getLarge").public().handler(async |()| Ok(Data("x".repeat(1 << 20)))))
        .controller(Route::get("/events").id("getEvents").public().handler(async |()| Ok(Events::new())))
        .controller(
            Route::get("/limited").id("getLimited").public().middleware(limit).handler(async |()| Ok(Data("ok"))),
        )
        .controller(
            Route::get("/files/{*path}")
                .id("getFile")
                .public()
                .handler(async |request: GetFile| Ok(Data(request.path))),
        )
        .controller(
            Route::get("/files/private/{name}")
                .id("getPrivate")
                .authorize("key", ["read"])
                .handler(async |request: GetPrivate| Ok(Data(request.name))),
        )
        .controller(
            Route::get("/private").id("getByToken").authorize("token", ["read"]).handler(async |()| Ok(Data("ok"))),
        )
        .build()
}

#[derive(Deserialize, Serialize, Schema)]
struct Pet {
    #[schema(min_length = 1, max_length = 50)]
    name: String,
    #[schema(minimum = 0, maximum = 100)]
    age: i64,
    #[schema(max_items = 10)]
    tags: Vec<String>,
}

#[derive(Request)]
struct CreatePet {
    #[body]
    pet: Pet,
}

#[derive(Clone, Serialize, Schema, Record)]
struct Animal {
    id: i64,
    name: String,
    age: i64,
}

impl Animal {
    fn new(id: i64) -> Self {
        Self { id, name: format!("name {}", id % 100), age: id % 17 }
    }
}

#[derive(Filters)]
struct AnimalFilters {
    #[filter(eq, contains)]
    name: Filter<String>,
    #[filter(gte, lt)]
    age: Filter<i64>,
}

#[derive(Clone, Copy, Sort)]
enum AnimalSort {
    #[sort(id)]
    Id,
    Name,
    Age,
}

#[derive(Request)]
struct ListPetsRequest {
    filters: AnimalFilters,
    sort: SortBag<AnimalSort>,
    page: Page,
}

struct ListPets(Vec<Animal>);

impl Controller for ListPets {
    type Request = ListPetsRequest;
    type Response = PageResponse<Animal>;

    fn route(&self) -> Route {
        Route::get("/pets").public()
    }

    async fn handle(&self, request: ListPetsRequest) -> Result<PageResponse<Animal>> {
        let ListPetsRequest { filters, sort, page } = request;
        Ok(page.respond(apply(&filters, &sort, &page, &self.0).cloned()))
    }
}

#[derive(Request)]
struct Upload {
    #[body]
    photo: StreamedBody,
}

async fn upload(request: Upload) -> Result<Data<usize>> {
    let StreamedBody(mut pieces) = request.photo;
    let mut bytes = 0;
    while let Some(piece) = pieces.next().await {
        bytes += piece?.len();
    }
    Ok(Data(bytes))
}

#[derive(Request)]
struct GetFile {
    #[segment]
    path: String,
}

#[derive(Request)]
struct GetPrivate {
    #[segment]
    name: String,
}

/// Streams an event per second.
#[derive(Response)]
#[response(status = 200, content_type = "text/event-stream")]
struct Events(#[body] StreamingBody);

impl Events {
    fn new() -> Self {
        Self(StreamingBody::new(Ticks(tokio::time::interval(Duration::from_secs(1)))).until_stop())
    }
}

struct Ticks(Interval);

impl Stream for Ticks {
    type Item = std::result::Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_tick(context).map(|_| Some(Ok(Bytes::from_static(b"data: tick\n\n"))))
    }
}
