//! A request's life, from the host and back to it.

mod challenge;
mod deadline;
mod guard;
mod language;
mod routing;
mod steps;
mod unread_head;
mod worker;

pub use unread_head::HeadError;
pub use worker::Worker;

pub(crate) use challenge::is_challenge;
pub(crate) use deadline::{warn_if_held, within};
pub(crate) use guard::Guard;
