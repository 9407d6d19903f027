//! Translates problems and violations, and chooses the language by `Accept-Language`.
//!
//! English is built in. [`LanguageSettings::language`] adds a language with its [`Translation`]. Problems are then in the
//! language that the request's `Accept-Language` prefers (RFC 4647, section 3.4).

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

/// The language tag of the built-in language.
pub(crate) const ENGLISH: &str = "en";

/// A marker for routes that read a `Locale`. Their responses depend on `Accept-Language`.
#[derive(Debug, Default)]
pub(crate) struct LocaleIsRead(());

/// The translations that a configuration declares, in order, and the default language.
#[derive(Clone, Default)]
struct DeclaredLanguages {
    translations: Vec<Translation>,
    default: Option<String>,
}

/// Adds the language settings to [`Configuration`].
pub trait LanguageSettings: sealed::Sealed {
    /// Adds a language, with its translations of problems and violations. English is built in.
    ///
    /// Problem responses are then in the language that the request's `Accept-Language` prefers, with `Content-Language`
    /// and `Vary: Accept-Language`. Strings without a translation are in English. Building the Api fails if a template
    /// of the translation is malformed, or contains a placeholder that the built-in message does not have.
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

    /// Sets the language for requests that accept none of the declared languages. The default is English.
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

/// Returns the languages that a configuration declares, or the errors in their declaration. Returns `None` if English
/// is the only language.
pub(crate) fn languages(configuration: &Configuration) -> Option<Result<Languages, Vec<String>>> {
    let declared = configuration.get::<DeclaredLanguages>()?;
    Some(Languages::new(&declared.translations, declared.default.as_deref()))
}

/// The values of all `Accept-Language` header lines of a request.
type HeaderLines<'l> = &'l [Vec<u8>];
