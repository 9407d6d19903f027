//! Random declarations and similar random JSON. The guided read, the complete walk and a JSON Schema validator must
//! agree.
//!
//! `RESTWRIGHT_SEED` repeats a run, and `RESTWRIGHT_CASES` sets its number of cases.

#![cfg(test)]
#![allow(unreachable_pub, reason = "one binary of several modules")]

mod choices;
mod decimals;
mod doubles;
mod json_patches;
mod known_types;
mod oracle;
mod patterns;
mod random_shapes;
mod samples;
mod shapes;
mod suite;
mod texts;
mod typed_shapes;
mod typed_unions;
