//! Endpoints whose shapes are declared at run time: [`Input`] and [`Output`] instead of structs.

mod input;
mod output;

pub use input::Input;
pub use output::Output;
