//! The Rust types of what is declared at run time.

mod declared;
mod files;
mod resource;
mod shapes;
mod uses;
