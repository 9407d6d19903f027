//! Random shapes and random texts near to them: the guided read, the complete walk and a JSON Schema validator say the same.
//!
//! `RESTWRIGHT_SEED` repeats a run, `RESTWRIGHT_CASES` makes it longer or shorter.

#![cfg(test)]
#![allow(unreachable_pub, reason = "one binary of several modules")]

mod choices;
mod doubles;
mod known_types;
mod oracle;
mod patterns;
mod random_shapes;
mod samples;
mod shapes;
mod suite;
mod texts;
mod typed_shapes;
