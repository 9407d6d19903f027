//! What an Api says about itself, as data in and documents out.

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
