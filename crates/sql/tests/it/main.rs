//! Stores on real databases.

#![cfg(test)]

mod conformance;
