//! Limits from the outside, through an Api.

#![cfg(test)]

mod address;
mod around;
mod counted_by;
mod mistakes;
mod redis;
mod responses;
mod scene;
mod several;
mod strategy;
