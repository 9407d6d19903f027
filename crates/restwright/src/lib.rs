//! A framework for HTTP APIs on actix-web: shapes, endpoints and their access are declared once, and from that one
//! declaration requests are validated, typed and routed, answers documented and tested.
//!
//! This crate is what applications depend on; it holds no code of its own. Libraries that extend the framework depend on
//! [`core`] and [`schema`].

pub use restwright_core as core;
pub use restwright_runtime as runtime;
pub use restwright_schema as schema;

pub use restwright_core::{
    AfterAuthentication, ApiScope, BuildContext, BuildError, BuildErrorKind, BuildErrors, Clock, Component,
    ComponentError, Configuration, Controller, Created, Data, Handler, Input, Location, Middleware, Next, NoContent,
    OperationPaths, OperationScope, Output, Part, Problem, Request, RequestHead, Response, Result, Route, Stage, body,
    client_address, http, operation, problem, report,
};
pub use restwright_runtime::{Api, ApiBuilder, ComponentFailure, Group, Module};
pub use restwright_schema::{Patch, PropertyCollection, Schema};

#[cfg(feature = "actix-web")]
pub use restwright_actix::{ApiService, service};
#[cfg(feature = "actix")]
pub use restwright_actix::{Bound, Host, Listener, StopHandle, run, serve, serve_on};
#[cfg(feature = "list")]
pub use restwright_list::{self as list, Filters, Record, Sort};
#[cfg(feature = "macros")]
pub use restwright_macros::{Filters, Part, Problem, Record, Request, Response, Schema, Sort};
#[cfg(feature = "openapi")]
pub use restwright_openapi::{self as openapi, Documentation, cli};
#[cfg(feature = "testing")]
pub use restwright_testing as testing;

pub mod auth;
#[doc(hidden)]
pub mod feature_off;
pub mod guide;
pub mod prelude;

/// The example of README.md, run like those of the guides.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
