//! Tests of documents: declarations in, documents out.

#![cfg(test)]

mod browser;
mod cli;
mod document;
mod everything;
mod failures;
mod names;
mod okapi;
mod served;
mod shape_files;
mod shapes;
mod support;
mod versions;
