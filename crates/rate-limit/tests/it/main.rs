//! Limits from the outside, through an Api.

#![cfg(test)]

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
