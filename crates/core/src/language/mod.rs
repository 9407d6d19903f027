//! The languages of an application: the texts of problems and violations by catalogue, and the choice by `Accept-Language`.
//!
//! English is built in. [`Configuration::language`](crate::Configuration::language) declares another language with its [`Translation`];
//! a request then has problems in the language that its `Accept-Language` prefers (RFC 4647, section 3.4).

mod accept;
mod built_in;
pub(crate) mod negotiation;
mod template;
mod translation;

pub(crate) use negotiation::{Language, Languages};
pub use translation::Translation;

use crate::configuration::Configuration;

/// The tag of the language that is built in.
pub(crate) const ENGLISH: &str = "en";

/// Marks the routes whose responses depend on `Accept-Language`, since a part of their requests is a `Locale`.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct LocaleIsRead(());

/// The languages that a configuration declares, in their order.
#[derive(Clone, Default)]
struct DeclaredLanguages {
    translations: Vec<Translation>,
    default: Option<String>,
}

impl Configuration {
    /// Adds a language beside English, with the texts of problems and violations in it.
    ///
    /// From then on a problem is in the language that the request's `Accept-Language` prefers, with `Content-Language` and
    /// `Vary: Accept-Language`. A text that the translation lacks is in English. Building the Api fails if a template of the translation is
    /// malformed, or has a placeholder that the built-in text does not have.
    ///
    /// ```
    /// use restwright_core::Configuration;
    /// use restwright_core::language::Translation;
    ///
    /// let german = Translation::new("de")
    ///     .title("not_found", "Nicht gefunden")
    ///     .violation("minimum", "muss mindestens {minimum} sein");
    /// let configuration = Configuration::new("shop", "1.0.0").language(german);
    /// ```
    #[must_use]
    pub fn language(self, translation: Translation) -> Self {
        self.with_languages(|languages| languages.translations.push(translation))
    }

    /// Sets the language of requests that accept none of those that are declared; English by default.
    #[must_use]
    pub fn default_language(self, tag: impl Into<String>) -> Self {
        self.with_languages(|languages| languages.default = Some(tag.into()))
    }

    fn with_languages(mut self, change: impl FnOnce(&mut DeclaredLanguages)) -> Self {
        let mut languages = self.get::<DeclaredLanguages>().cloned().unwrap_or_default();
        change(&mut languages);
        self.settings_mut().insert(languages);
        self
    }

    /// Returns the languages, or the mistakes in them; `None` if English is the only one.
    #[doc(hidden)]
    #[must_use]
    pub fn languages(&self) -> Option<Result<Languages, Vec<String>>> {
        self.get::<DeclaredLanguages>()
            .map(|declared| Languages::new(&declared.translations, declared.default.as_deref()))
    }
}

/// The values of `Accept-Language`, one for each line.
pub(crate) type Lines<'l> = &'l [Vec<u8>];
