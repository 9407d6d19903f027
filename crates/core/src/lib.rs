//! The middle of restwright: controllers with their requests and responses, routes and groups, middlewares, access,
//! problems, the description vocabulary, and the pipeline that a host drives.
//!
//! It is what third parties implement against: a host hands each request to a [`Worker`], a library adds a
//! [`Part`], a [`ReadBody`](body::ReadBody), a [`Middleware`] or an [`Authenticator`](auth::Authenticator).
//!
//! It knows no host (no sockets, no actix) and no document format (no OpenAPI).

mod api;
pub mod auth;
mod bag;
pub mod body;
pub mod client_address;
mod clock;
mod component;
mod configuration;
mod controller;
mod endpoint;
mod future;
pub mod http;
mod middleware;
mod module;
pub mod operation;
pub mod part;
mod pipeline;
pub mod problem;
pub mod rate_limit;
pub mod report;
mod request;
mod response;
pub mod route;
mod runtime_thread;
mod start;

pub use api::{Api, ApiBuilder, ComponentFailure};
pub use bag::{Input, Output};
pub use clock::Clock;
pub use component::{Component, ComponentError};
pub use configuration::Configuration;
pub use controller::Controller;
pub use middleware::{AfterAuthentication, Middleware, Stage};
pub use module::Module;
pub use part::{BuildContext, Part, RequestHead};
pub use pipeline::{Next, Worker};
pub use problem::{Problem, ProblemSet, Result};
pub use request::{Reader, Request};
pub use response::{HeaderPlan, Response};
pub use restwright_schema as schema;
pub use route::{Group, Route};
#[doc(hidden)]
pub use runtime_thread::RuntimeThread;
pub use start::BuildErrors;
