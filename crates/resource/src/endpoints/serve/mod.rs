//! The controllers and routes of the operations.

pub(super) mod action;
pub(super) mod controllers;
pub(super) mod query;
pub(super) mod request;
pub(super) mod resource_routes;
pub(super) mod routes;
