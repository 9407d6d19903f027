//! Contains [`ParameterValue`], a type that is read from a parameter.

#[doc(inline)]
pub use restwright_core::part::ParameterValue;
