//! The generated Rust types of run-time declarations in use.

pub(crate) mod declared;
pub(crate) mod declared_resource;
mod resource;
#[allow(clippy::all, dead_code, unreachable_pub, reason = "written by a program, and not everything is used")]
mod resource_shapes;
#[allow(clippy::all, dead_code, unreachable_pub, reason = "written by a program, and not everything is used")]
mod shapes;
mod uses;
