//! Reads rows and lists.

mod digest;
mod pages;
mod reading;
mod rows;
mod running;

pub(crate) use reading::{integer, read_row, read_version};
