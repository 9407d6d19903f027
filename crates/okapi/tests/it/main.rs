//! Tests of the conversion to okapi's types.

#![cfg(test)]

mod document;
#[path = "../../../openapi/tests/it/everything.rs"]
mod everything;
#[path = "../../../openapi/tests/it/support.rs"]
#[allow(dead_code, reason = "the tests of restwright-openapi use more of it")]
mod support;
