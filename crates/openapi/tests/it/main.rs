//! Tests of documents: declarations in, documents out.

#![cfg(test)]

mod committed;
mod document;
mod everything;
mod failures;
mod names;
mod served;
mod shapes;
mod support;
mod versions;
