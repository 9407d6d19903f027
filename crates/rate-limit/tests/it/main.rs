//! Limits from the outside, through an Api.

#![cfg(test)]

restwright_tests::facade!(actix, openapi, rate_limit, testing);

mod address;
mod around;
mod concurrency;
mod counted_by;
mod fields;
mod mistakes;
mod redis;
mod responses;
mod scene;
mod several;
mod strategy;
