//! Builds the SQL of statements.

pub(crate) mod condition;
mod one_row;
mod per_key;
pub(crate) mod select;

pub(crate) use one_row::{Place, insert, updated};
pub(crate) use per_key::per_key;
