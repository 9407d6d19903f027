//! Contains the types for the languages and translations of an application; see [the guide](crate::guide::languages).

pub use restwright_runtime::language::{LanguageSettings, Locale, Translation};
