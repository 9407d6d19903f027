//! The operations on entities, with their hooks and steps.

pub(super) mod act;
pub(super) mod changed;
pub(super) mod entities;
pub(super) mod entity_batches;
pub(super) mod hook_context;
pub(super) mod hooked;
pub(super) mod hooks;
pub(super) mod operations;
pub(super) mod prepare;
pub(super) mod presenter;
pub(super) mod put;
pub(super) mod steps;
pub(super) mod unit;
