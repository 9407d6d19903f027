//! Contains the [`Api`] and the request pipeline. It also contains the builder, modules and groups from which an
//! application creates its Api.
//!
//! An application declares its Api with this crate, and a host serves it. The host creates a [`Worker`] for each thread with
//! [`Api::worker`], and passes requests to it. Libraries that extend the framework depend only on [`core`].
//!
//! The crate contains no host (no sockets, no actix) and no document format (no OpenAPI).

mod api;
mod confined;
mod effective_access;
pub mod language;
mod pipeline;
mod problem_responses;
mod router;

pub use api::{
    Api, ApiBuilder, ComponentFailure, ComponentState, ComponentStates, Group, HeadError, Module, Readiness,
    SeedFunction, WeakApi, Worker,
};
pub use restwright_core as core;
