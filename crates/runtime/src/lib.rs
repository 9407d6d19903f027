//! The runtime of the contracts of [`core`]: the [`Api`] with its builder, modules, groups and routes, and the pipeline that a
//! host drives.
//!
//! An application declares its Api with it, and a host serves it: [`Api::worker`] makes a [`Worker`] for each thread, to which
//! the host hands its requests. Libraries that extend the framework need [`core`] alone.
//!
//! It does not contain a host (no sockets, no actix) or a document format (no OpenAPI).

mod api;
mod effective_access;
pub mod language;
mod pipeline;
mod problem_responses;
mod router;

pub use api::{
    Api, ApiBuilder, ComponentFailure, ComponentState, ComponentStates, Group, HeadError, Module, Readiness, WeakApi,
    Worker,
};
pub use restwright_core as core;
