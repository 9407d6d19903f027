//! Defines [`Locale`], a request part that contains the language of the request.

use std::fmt;

use http::header::ACCEPT_LANGUAGE;
use restwright_core::operation::{Operation, ParameterLocation, ParameterObject, SchemaUse};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::negotiation::Languages;
use super::{LocaleIsRead, languages};

/// A request part that contains the language of the request, for the application's own messages. It is the
/// [declared](super::LanguageSettings::language) language that `Accept-Language` prefers, or the default.
///
/// At most 1,024 bytes and 32 ranges of the header are read. Invalid ranges are ignored, so the header never causes a 4xx. The
/// document lists the header as a parameter. Responses of the route include `Vary: Accept-Language`, and `Content-Language`
/// unless the application sets it.
///
/// Building the Api fails if English is the only language.
///
/// ```
/// use restwright_runtime::language::Locale;
///
/// fn greeting(locale: &Locale) -> &'static str {
///     match locale.tag() {
///         "de" => "Guten Tag",
///         _ => "Hello",
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locale(Box<str>);

impl Locale {
    /// Returns the language tag, spelled as in the configuration.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Locale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Part for Locale {
    type Plan = Languages;

    fn plan(context: &mut BuildContext<'_>) -> Result<Languages, BuildErrors> {
        context.kept::<LocaleIsRead>();
        match languages(context.configuration()) {
            Some(Ok(languages)) => Ok(languages),
            Some(Err(_mistakes)) => Err(BuildErrors::one(
                "`Locale` requires valid languages, but the languages of the configuration contain errors",
            )),
            None => Err(BuildErrors::one(
                "the request reads a `Locale`, but English is the only language; declare another one with `Configuration::language`",
            )),
        }
    }

    fn describe(languages: &Languages, operation: &mut Operation) {
        const NAME: &str = "Accept-Language";
        if operation.parameter(ParameterLocation::Header, NAME).is_some() {
            return;
        }
        let schema = SchemaUse::input(SchemaObject::string());
        let mut parameter = ParameterObject::new(ParameterLocation::Header, NAME, schema);
        parameter.required = false;
        let tags: Vec<_> = languages.tags().iter().map(|tag| format!("`{tag}`")).collect();
        parameter.description = Some(format!(
            "The languages that the client prefers (RFC 9110, section 12.5.4); the response is in one of {}, the first by default.",
            tags.join(", ")
        ));
        operation.parameters.push(parameter);
    }

    fn read(languages: &Languages, head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        let lines = head.request().header_values(&ACCEPT_LANGUAGE);
        Some(Self(languages.choose(&lines).tag().into()))
    }
}
