//! Limits from the outside, through an Api.

#![cfg(test)]

mod address;
mod memory;
mod redis;
