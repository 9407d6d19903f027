//! A framework for HTTP APIs on actix-web. An application declares its schemas, endpoints and access rules once. The
//! framework uses the declaration to route and validate requests, to write the OpenAPI document, and to check responses
//! in tests.
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
//! fn main() -> Result<(), restwright::ServeError> {
//!     let view = Route::get("/pets/{id}").id("viewPet").public().handler(async |request: ViewPet| {
//!         Ok(Data(Pet { id: request.id, name: "Bo".to_owned() }))
//!     });
//!     let api = Api::builder(Configuration::new("pets", "1.0.0"))
//!         .controller(view)
//!         .module(&Documentation::public())
//!         .build()?;
//!     restwright::run(restwright::serve(api, "127.0.0.1:8080"))
//! }
//! ```
//!
//! # Guides
//!
//! - Begin: [First endpoint](guide::first_endpoint), [Configuration, groups and modules](guide::configuration), [Schemas](guide::shapes), [Requests and responses](guide::requests_and_responses), [Forms and uploads](guide::forms), [Uploads and streams](guide::uploads_and_streams), [Server-sent events](guide::events), [WebSocket](guide::websocket), [Downloads and static files](guide::files), [Errors](guide::errors), [Languages](guide::languages), [Middlewares](guide::middlewares), [OpenAPI documents](guide::documents), [Generated clients](guide::clients), [Recipes](guide::recipes)
//! - Lists: [Filters](guide::filtering), [Sorting](guide::sorting), [Pagination](guide::pagination)
//! - Resources: [Resources](guide::resources), [Tenants, parents and references](guide::tenants), [Relations](guide::relations), [Who sees what](guide::who_sees_what), [Hooks and replaced operations](guide::hooks), [Money and exact decimals](guide::money), [Batches](guide::batches), [Exports and imports](guide::exports), [Data tools](guide::data_tools), [Files of resources](guide::stored_files), [Idempotency keys](guide::idempotency), [Conditional requests](guide::conditional_requests), [Endpoints without a resource](guide::manual_crud), [Resources at run time](guide::run_time_resources)
//! - Databases: [Databases](guide::databases), [Tables and migrations](guide::migrations), [Map a resource to an existing table](guide::existing_table), [Transactions and the outbox](guide::transactions), [Scaling out](guide::scaling_out), [Custom stores](guide::own_store), [A database pool in controllers](guide::database_pool)
//! - Callers: [Authorisation](guide::authorisation), [Public endpoints](guide::public_endpoints), [API keys](guide::api_keys), [JSON Web Tokens](guide::json_web_tokens), [Custom authenticators](guide::custom_authenticators), [The identity of the caller](guide::identity), [Rate limits](guide::rate_limiting)
//! - Production: [Deployment](guide::deployment), [Reverse proxies](guide::reverse_proxies), [Browsers: security headers and CORS](guide::behind_browsers), [Caching](guide::caching), [Compression](guide::compression), [Health checks and shutdown](guide::health_and_shutdown), [Limits and attacks](guide::limits_and_attacks), [OWASP API Security Top 10](guide::owasp_api_security), [Logs and traces](guide::logs_and_tracing), [Metrics](guide::metrics), [Operations](guide::operations), [Inside an actix-web `App`](guide::actix_web_app)
//! - Coming from another framework: [Coming from axum](guide::from_axum), [Coming from actix-web](guide::from_actix_web), [Coming from FastAPI](guide::from_fastapi), [The same application in Django REST framework](guide::application_in_django), [The same application in FastAPI](guide::application_in_fastapi)
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `actix` | yes | the host: `serve`, `Host`, `run` |
//! | `list` | yes | filters, sorting, pagination by page and offset; schemas for the types of jiff and uuid |
//! | `macros` | yes | the derives |
//! | `openapi` | yes | the document in OpenAPI 3.0, 3.1 and 3.2, and its page |
//! | `resource` | yes | `#[derive(Resource)]`: five endpoints of an entity over a store, `MemoryStore` without a further feature |
//! | `cursor` | | pagination by cursor |
//! | `websocket` | | WebSocket with typed messages |
//! | `files` | | forms with files, files as responses with ranges, folders of static files, and files of resources |
//! | `idempotency` | | `Idempotency-Key`: a repeated request is executed only once |
//! | `sqlite`, `postgres` | | resources in a database: `SqlStore`, whose URL selects the database |
//! | `api-key` | | API keys |
//! | `jwt`, `jwks` | | JSON Web Tokens as bearer tokens, with fixed keys or keys fetched from the issuer |
//! | `rate-limit`, `redis` | | rate limits in memory, on Redis or on a Redis Cluster; concurrency limits |
//! | `tls` | | TLS for connections to PostgreSQL, Redis and OpenTelemetry collectors |
//! | `chrono`, `time`, `rust_decimal`, `url` | | schemas for the types of these crates; fields of resources for `Decimal` |
//! | `validator` | | `#[schema(validator)]`: the checks of types that derive `Validate` of the crate validator |
//! | `production` | | the log (`telemetry::init`), CORS, security headers, `Cache-Control` and `ETag` from the content, health checks, the request log, W3C trace context, deprecated routes |
//! | `compression` | | compression of responses and decompression of requests |
//! | `metrics` | | `/metrics` for Prometheus; with `compression` also `Preset::production()`: both and `production` in one module |
//! | `opentelemetry` | | spans of requests and of the application, exported to a collector by OTLP over HTTP |
//! | `actix-web` | | `service`, an Api inside an actix-web `App` |
//! | `unstable-extend` | | the module `extend`, for stores, hosts and other extensions; a minor release may change its items |
//! | `testing` | | the in-process client, and `resource::reproducible`, for dev-dependencies |
//!
//! Tools are separate crates. [`restwright-generate`](https://docs.rs/restwright-generate), for dev-dependencies, writes
//! the document and Rust types for run-time declarations to files. [`restwright-okapi`](https://docs.rs/restwright-okapi)
//! converts the document to the types of okapi, to merge it with others. [The guide](guide::documents) uses both.
//! [`restwright-conformance`](https://docs.rs/restwright-conformance), for dev-dependencies, tests
//! [custom stores](guide::own_store).
//!
//! # Structure
//!
//! Applications depend on this crate, which only re-exports other crates. It names what applications use. A library that extends
//! the framework depends on [restwright-core](restwright_core) and its neighbours, or uses them as `restwright::extend` with the
//! feature `unstable-extend`. [The rustdoc of each crate](https://docs.rs/restwright-core) has all of its items.

pub use restwright_core::{
    AfterAuthentication, BuildContext, BuildError, BuildErrorKind, BuildErrors, Clock, Component, ComponentClock,
    ComponentError, Configuration, Controller, Created, Data, Event, EventStream, Handler, HandlerFunction,
    HeaderField, Input, Location, Middleware, Next, NoContent, OperationPaths, Output, Part, Problem, ProblemSet,
    Request, Response, Result, Route, Settings, SetupError, Stage, StopSignal,
};
pub use restwright_runtime::{
    Api, ApiBuilder, ComponentFailure, ComponentState, ComponentStates, Group, Module, Readiness, SeedFunction, WeakApi,
};
pub use restwright_schema::{Patch, PropertyCollection, Schema};

#[cfg(feature = "actix-web")]
pub use restwright_actix::{ApiService, service};
#[cfg(feature = "actix")]
pub use restwright_actix::{BoundServer, Host, Listener, ServeError, StopHandle, run, serve, serve_on};
#[cfg(feature = "list")]
pub use restwright_list::{Filters, Record, Sort};
#[cfg(feature = "macros")]
pub use restwright_macros::{Filters, Part, Problem, Record, Request, Resource, Response, Schema, Sort};
#[cfg(feature = "openapi")]
pub use restwright_openapi::Documentation;
#[cfg(feature = "production")]
#[doc(inline)]
pub use restwright_production as production;
#[cfg(feature = "production")]
#[doc(inline)]
pub use restwright_production::telemetry;
#[cfg(feature = "resource")]
pub use restwright_resource::Resource;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[doc(inline)]
pub use restwright_sql as sql;
#[cfg(feature = "testing")]
#[doc(inline)]
pub use restwright_testing as testing;

// Messages of the compiler name the modules of the crate by this path.
#[doc(hidden)]
pub use restwright_core as core;

pub mod auth;
pub mod body;
pub mod client_address;
pub mod conditional;
#[doc(hidden)]
pub mod derived;
#[cfg(doctest)]
mod doc_examples;
#[cfg(feature = "unstable-extend")]
pub mod extend;
#[cfg(feature = "files")]
pub mod files;
pub mod guide;
pub mod http;
pub mod language;
#[cfg(feature = "list")]
pub mod list;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod operation;
pub mod part;
pub mod prelude;
pub mod problem;
#[cfg(feature = "rate-limit")]
pub mod rate_limit;
pub mod report;
#[cfg(feature = "resource")]
pub mod resource;
pub mod route;
pub mod schema;
#[cfg(feature = "websocket")]
pub mod websocket;

/// Runs the example in README.md as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
