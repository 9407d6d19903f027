//! Shapes of Rust types.
