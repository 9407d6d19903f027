//! The languages of an application and their translations; see [the guide](crate::guide::languages).

pub use restwright_runtime::language::{LanguageSettings, Locale, Translation};
