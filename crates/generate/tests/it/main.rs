//! Tests of generated files.

#![cfg(test)]

mod files;
