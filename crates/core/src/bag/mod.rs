//! Endpoints whose schemas are declared at run time: [`Input`] and [`Output`] replace structs.

mod input;
mod output;

pub use input::Input;
pub use output::Output;
