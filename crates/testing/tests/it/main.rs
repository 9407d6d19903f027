//! The client against an application with every kind of response, and against one that differs from its description.

#![cfg(test)]

restwright_tests::facade!(openapi, testing);

mod access_matrix;
mod app;
mod asynchronous;
mod documented;
#[cfg(feature = "jwt")]
mod issuer;
mod shared;
mod statuses;
