//! The languages of an application: the texts of problems and violations by catalogue, and the choice by `Accept-Language`.
//!
//! English is built in. [`LanguageSettings::language`] declares another language with its [`Translation`]; a request then has problems in the
//! language that its `Accept-Language` prefers (RFC 4647, section 3.4).

mod accept;
mod built_in;
mod headers;
mod locale;
mod negotiation;
mod template;
mod translation;

pub(crate) use headers::add_headers;
pub use locale::Locale;
pub(crate) use negotiation::{Language, Languages};
pub use translation::Translation;

use restwright_core::Configuration;

/// The tag of the language that is built in.
pub(crate) const ENGLISH: &str = "en";

/// Marks the routes whose responses depend on `Accept-Language`, since a part of their requests is a `Locale`.
#[derive(Debug, Default)]
pub(crate) struct LocaleIsRead(());

/// The languages that a configuration declares, in their order.
#[derive(Clone, Default)]
struct DeclaredLanguages {
    translations: Vec<Translation>,
    default: Option<String>,
}

/// Adds languages to a [`Configuration`].
pub trait LanguageSettings: sealed::Sealed {
    /// Adds a language beside English, with the texts of problems and violations in it.
    ///
    /// From then on a problem is in the language that the request's `Accept-Language` prefers, with `Content-Language` and
    /// `Vary: Accept-Language`. A text that the translation lacks is in English. Building the Api fails if a template of the translation is
    /// malformed, or has a placeholder that the built-in text does not have.
    ///
    /// ```
    /// use restwright_runtime::core::Configuration;
    /// use restwright_runtime::language::{LanguageSettings, Translation};
    ///
    /// let german = Translation::new("de")
    ///     .title("not_found", "Nicht gefunden")
    ///     .violation("minimum", "muss mindestens {minimum} sein");
    /// let configuration = Configuration::new("shop", "1.0.0").language(german);
    /// ```
    #[must_use]
    fn language(self, translation: Translation) -> Self;

    /// Sets the language of requests that accept none of those that are declared; English by default.
    #[must_use]
    fn default_language(self, tag: impl Into<String>) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Configuration {}
}

impl LanguageSettings for Configuration {
    fn language(self, translation: Translation) -> Self {
        with_languages(self, |languages| languages.translations.push(translation))
    }

    fn default_language(self, tag: impl Into<String>) -> Self {
        with_languages(self, |languages| languages.default = Some(tag.into()))
    }
}

fn with_languages(configuration: Configuration, change: impl FnOnce(&mut DeclaredLanguages)) -> Configuration {
    let mut languages = configuration.get::<DeclaredLanguages>().cloned().unwrap_or_default();
    change(&mut languages);
    configuration.with(languages)
}

/// Returns the languages of a configuration, or the mistakes in them; `None` if English is the only one.
pub(crate) fn languages(configuration: &Configuration) -> Option<Result<Languages, Vec<String>>> {
    let declared = configuration.get::<DeclaredLanguages>()?;
    Some(Languages::new(&declared.translations, declared.default.as_deref()))
}

/// The values of `Accept-Language`, one for each line.
type Lines<'l> = &'l [Vec<u8>];
