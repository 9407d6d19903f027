//! Tests of documents: declarations in, documents out.

#![cfg(test)]

mod cli;
mod committed;
mod document;
mod everything;
mod failures;
mod names;
mod okapi;
mod served;
mod shapes;
mod support;
mod versions;
