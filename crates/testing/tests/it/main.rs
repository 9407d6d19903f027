//! The client against an application with every kind of answer, and against one that lies.

#![cfg(test)]

mod app;
mod asynchronous;
mod documented;
#[cfg(feature = "jwt")]
mod issuer;
mod shared;
mod statuses;
