//! Contains the core of restwright, for crates that extend restwright. It defines the traits for controllers, requests,
//! responses, bodies, middlewares, authenticators and components, and the types that describe operations.
//!
//! A library adds a [`Part`], a [`ReadBody`](body::ReadBody), a [`Middleware`] or an
//! [`Authenticator`](auth::Authenticator). The `plan` method of each of these types receives a [`BuildContext`] when an
//! Api is built.
//!
//! The Api, its builder, routing and the pipeline are in `restwright-runtime`. This crate is independent of hosts
//! (sockets, actix) and of document formats (OpenAPI).

mod access;
mod attempt;
pub mod auth;
mod bag;
mod base_path;
pub mod body;
mod build_context;
mod build_errors;
pub mod client_address;
mod clock;
mod component;
mod component_clock;
pub mod conditional;
mod configuration;
mod controller;
mod declared_route;
mod formula;
mod future;
mod handler;
mod histogram;
pub mod http;
mod identity;
mod information;
mod listening;
mod location;
mod log;
mod media_type;
mod middleware;
pub mod operation;
mod outage_log;
pub mod part;
pub mod problem;
pub mod rate_limit;
mod raw_members;
pub mod report;
mod request;
mod response;
pub mod route;
mod route_info;
mod row_count;
mod run_time_route;
#[doc(hidden)]
pub mod runtime;
mod runtime_thread;
mod same_for_all_callers;
mod settings;
mod stage;
mod state;
mod stop_signal;
mod suggest;
mod template;
mod type_map;
mod unwatched;
mod weight;

pub use bag::{Input, Output};
pub use build_context::{ApiState, BuildContext, OperationState};
pub use build_errors::{BuildError, BuildErrorKind, BuildErrors};
pub use clock::Clock;
pub use component::{Component, ComponentError};
pub use component_clock::ComponentClock;
pub use configuration::Configuration;
pub use controller::Controller;
pub use declared_route::Route;
pub use handler::{Handler, HandlerFunction};
pub use location::{Location, OperationPaths};
pub use middleware::{AfterAuthentication, Middleware, Next};
pub use outage_log::{OutageLog, OutageSummary};
pub use part::declared::Part;
pub use part::request_head::RequestHead;
pub use problem::failure::{Problem, Result};
pub use problem::set::ProblemSet;
pub use request::{Reader, Request};
pub use response::{Created, Data, Event, EventStream, EventsPlan, HeaderField, HeaderPlan, NoContent, Response};
pub use restwright_schema as schema;
pub use runtime_thread::RuntimeThread;
pub use settings::{Settings, SetupError};
pub use stage::Stage;
pub use stop_signal::StopSignal;
