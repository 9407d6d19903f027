//! The responses with entities, as their caller sees them.

pub(super) mod computed_values;
pub(super) mod created;
pub(super) mod page;
pub(super) mod replaced;
pub(super) mod shown;
pub(super) mod view;
pub(super) mod viewed_batch;
