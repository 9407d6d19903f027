//! A framework for HTTP APIs on actix-web: schemas, endpoints and their access are declared once, and from that one
//! declaration requests are validated, typed and routed, and responses documented and tested.
//!
//! ```no_run
//! use restwright::prelude::*;
//! use serde::Serialize;
//!
//! #[derive(Serialize, Schema)]
//! struct Pet {
//!     id: i64,
//!     name: String,
//! }
//!
//! #[derive(Request)]
//! struct ViewPet {
//!     #[segment]
//!     #[property(minimum = 1)]
//!     id: i64,
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let view = Route::get("/pets/{id}").id("viewPet").public().handler(async |request: ViewPet| {
//!         Ok(Data(Pet { id: request.id, name: "Bo".to_owned() }))
//!     });
//!     let api = Api::builder(Configuration::new("pets", "1.0.0"))
//!         .controller(view)
//!         .module(&Documentation::public())
//!         .build()?;
//!     Ok(restwright::run(restwright::serve(api, "127.0.0.1:8080"))?)
//! }
//! ```
//!
//! # Guides
//!
//! Begin: [first endpoint](guide::first_endpoint), [configuration and modules](guide::configuration),
//! [schemas](guide::shapes), [requests and responses](guide::requests_and_responses),
//! [uploads and streams](guide::uploads_and_streams), [conditional requests](guide::conditional_requests), [caching](guide::caching), [compression](guide::compression), [errors](guide::errors), [languages](guide::languages), [middlewares](guide::middlewares).
//!
//! Lists: [filtering](guide::filtering), [sorting](guide::sorting), [pagination](guide::pagination).
//!
//! Entities: [resources](guide::resources), [databases](guide::databases), [tables and migrations](guide::migrations),
//! [a table that exists already](guide::existing_table), [transactions](guide::transactions), [scaling out](guide::scaling_out),
//! [endpoints by hand](guide::manual_crud), [resources at run time](guide::run_time_resources),
//! [a store of one's own](guide::own_store), [idempotency keys](guide::idempotency).
//!
//! Callers: [public endpoints](guide::public_endpoints), [authorisation](guide::authorisation),
//! [identity](guide::identity), [JSON Web Tokens](guide::json_web_tokens), [API keys](guide::api_keys),
//! [custom authenticators](guide::custom_authenticators), [rate limits](guide::rate_limiting).
//!
//! In production: [behind browsers](guide::behind_browsers), [a database pool](guide::database_pool), [logs and tracing](guide::logs_and_tracing), [metrics](guide::metrics),
//! [health and shutdown](guide::health_and_shutdown), [deployment](guide::deployment), [inside an actix-web `App`](guide::actix_web_app), [recipes](guide::recipes).
//!
//! Coming from [axum](guide::from_axum), [actix-web](guide::from_actix_web) or [FastAPI](guide::from_fastapi).
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `actix` | yes | the host: `serve`, `Host`, `run` |
//! | `macros` | yes | the derives |
//! | `openapi` | yes | the document and its page |
//! | `cli` | | `cli::main`, which writes the document and the Rust types of what is declared at run time, for dev-dependencies |
//! | `list` | | filters, sorting, pagination by page and offset; turns `jiff` and `uuid` on |
//! | `jiff`, `uuid`, `chrono`, `time`, `rust_decimal`, `url` | | schemas of the types of these crates |
//! | `validator` | | `#[schema(validator)]`, the checks of types that derive `Validate` of the crate validator |
//! | `cursor` | | pagination by cursor |
//! | `jwt`, `jwks` | | bearer tokens, with keys that are given or fetched from their issuer |
//! | `api-key` | | API keys |
//! | `rate-limit`, `redis`, `redis-tls` | | rate limits, in memory or on Redis, a server or a cluster; concurrency limits |
//! | `resource` | | `#[derive(Resource)]`: five endpoints of an entity over a store |
//! | `idempotency` | | `Idempotency-Key`: a request that is sent again is carried out once |
//! | `sqlite`, `postgres`, `postgres-tls` | | resources in a database, `SqliteStore` and `PostgresStore`; with both, also `SqlStore`, which is either by its URL |
//! | `conformance` | | the suite that a store of one's own passes, for dev-dependencies |
//! | `caching` | | `Cache-Control`, and `ETag` by content |
//! | `compression` | | compressed responses, and requests that are decompressed |
//! | `cors` | | pages of other origins: CORS by the Fetch Standard |
//! | `deprecation` | | `Deprecation` and `Sunset` of routes that go away |
//! | `health` | | `/livez` and `/readyz` |
//! | `metrics` | | `/metrics`, for Prometheus |
//! | `request-log` | | a line in the log for each request |
//! | `security-headers` | | headers that keep browsers and caches from doing what an Api does not want |
//! | `preset` | | `Preset::production()`: all parts for production that an Api has as a whole |
//! | `trace-context` | | W3C trace context, in and out |
//! | `opentelemetry`, `opentelemetry-tls` | | spans of requests for a collector, in OTLP over HTTP or HTTPS |
//! | `actix-web` | | `service`, an Api inside an actix-web `App` |
//! | `testing` | | the in-process client, for dev-dependencies |
//!
//! # Structure
//!
//! This crate is what applications depend on; it holds no code of its own. Libraries that extend the framework depend on
//! [`core`] and [`schema`].

pub use restwright_core as core;
pub use restwright_runtime as runtime;
pub use restwright_schema as schema;

pub use restwright_core::{
    AfterAuthentication, ApiState, BuildContext, BuildError, BuildErrorKind, BuildErrors, Clock, Component,
    ComponentClock, ComponentError, Configuration, Controller, Created, Data, Handler, Input, Location, Middleware,
    Next, NoContent, OperationPaths, OperationState, Output, Part, Problem, Request, RequestHead, Response, Result,
    Route, Stage, StopSignal, body, client_address, http, operation, problem, report,
};
pub use restwright_runtime::{
    Api, ApiBuilder, ComponentFailure, ComponentState, ComponentStates, Group, Module, Readiness,
};
pub use restwright_schema::{Patch, PropertyCollection, Schema};

#[cfg(feature = "actix-web")]
pub use restwright_actix::{ApiService, service};
#[cfg(feature = "actix")]
pub use restwright_actix::{BoundServer, Host, Listener, StopHandle, run, serve, serve_on};
#[cfg(all(feature = "list", not(doc)))]
pub use restwright_list as list;
#[cfg(feature = "list")]
pub use restwright_list::{Filters, Record, Sort};
#[cfg(feature = "macros")]
pub use restwright_macros::{Filters, Part, Problem, Record, Request, Resource, Response, Schema, Sort};
#[cfg(feature = "cli")]
pub use restwright_openapi::cli;
#[cfg(feature = "openapi")]
pub use restwright_openapi::{self as openapi, Documentation};
#[cfg(all(feature = "production", not(doc)))]
pub use restwright_production as production;
#[cfg(feature = "rate-limit")]
pub use restwright_rate_limit as rate_limit;
#[cfg(all(feature = "resource", not(doc)))]
pub use restwright_resource as resource;
#[cfg(feature = "resource")]
pub use restwright_resource::Resource;
#[cfg(all(any(feature = "sqlite", feature = "postgres"), not(doc)))]
pub use restwright_sql as sql;
#[cfg(all(feature = "testing", not(doc)))]
pub use restwright_testing as testing;

pub mod auth;
#[cfg(doc)]
mod feature_docs;
#[doc(hidden)]
pub mod feature_off;
pub mod guide;
pub mod language;
pub mod prelude;

#[cfg(all(doc, not(feature = "actix")))]
pub use feature_docs::actix::*;
#[cfg(all(doc, not(feature = "actix-web")))]
pub use feature_docs::actix_web::*;
#[cfg(all(doc, not(feature = "openapi")))]
pub use feature_docs::openapi::*;
#[cfg(all(doc, not(feature = "rate-limit")))]
pub use feature_docs::rate_limit;

/// Filters, sorting and pagination.
#[cfg(doc)]
pub mod list {
    #[cfg(not(feature = "cursor"))]
    pub use crate::feature_docs::cursor::*;
    #[cfg(not(feature = "list"))]
    pub use crate::feature_docs::list::*;
    #[cfg(feature = "list")]
    pub use restwright_list::*;
}

/// Parts for an Api in production.
#[cfg(doc)]
pub mod production {
    #[cfg(not(feature = "caching"))]
    pub use crate::feature_docs::caching::*;
    #[cfg(not(feature = "compression"))]
    pub use crate::feature_docs::compression::*;
    #[cfg(not(feature = "cors"))]
    pub use crate::feature_docs::cors::*;
    #[cfg(not(feature = "deprecation"))]
    pub use crate::feature_docs::deprecation::*;
    #[cfg(not(feature = "health"))]
    pub use crate::feature_docs::health::*;
    #[cfg(not(feature = "metrics"))]
    pub use crate::feature_docs::metrics::*;
    #[cfg(not(feature = "opentelemetry"))]
    pub use crate::feature_docs::opentelemetry::*;
    #[cfg(not(feature = "preset"))]
    pub use crate::feature_docs::preset::*;
    #[cfg(not(feature = "request-log"))]
    pub use crate::feature_docs::request_log::*;
    #[cfg(not(feature = "security-headers"))]
    pub use crate::feature_docs::security_headers::*;
    #[cfg(not(feature = "trace-context"))]
    pub use crate::feature_docs::trace_context::*;
    #[cfg(feature = "production")]
    pub use restwright_production::*;
}

/// Resources: entities in stores, and their endpoints.
#[cfg(doc)]
pub mod resource {
    #[cfg(not(feature = "conformance"))]
    pub use crate::feature_docs::conformance;
    #[cfg(not(feature = "idempotency"))]
    pub use crate::feature_docs::idempotency;
    #[cfg(not(feature = "resource"))]
    pub use crate::feature_docs::resource::*;
    #[cfg(feature = "resource")]
    pub use restwright_resource::*;
}

/// Stores of resources on SQLite and PostgreSQL.
#[cfg(doc)]
pub mod sql {
    #[cfg(not(all(feature = "sqlite", feature = "postgres", feature = "idempotency")))]
    pub use crate::feature_docs::sql::*;
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub use restwright_sql::*;
}

/// The in-process client for tests.
#[cfg(doc)]
pub mod testing {
    #[cfg(not(feature = "testing"))]
    pub use crate::feature_docs::testing::*;
    #[cfg(not(all(feature = "testing", feature = "jwt")))]
    pub use crate::feature_docs::testing_jwt::*;
    #[cfg(feature = "testing")]
    pub use restwright_testing::*;
}

/// The example of README.md, run like those of the guides.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
