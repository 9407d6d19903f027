//! Contains [`Input`] and [`Output`], requests and responses with schemas that are declared at run time.

mod input;
mod output;

pub use input::Input;
pub use output::Output;
