//! The languages of an application; see [the guide](crate::guide::languages).

pub use restwright_core::language::Translation;
pub use restwright_core::part::Locale;
