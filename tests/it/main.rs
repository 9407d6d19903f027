//! What holds for the workspace as a whole.

#![cfg(test)]

mod animals;
mod arrows;
