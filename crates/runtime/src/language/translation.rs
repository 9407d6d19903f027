//! Defines [`Translation`], which contains the translations into one language.

/// A translation of problem titles, problem details and violation messages into one language.
///
/// Details and messages are templates. `{name}` is replaced by a value from the violation's `params`, from the problem's members,
/// or from its [`detail_param`](restwright_core::Problem::detail_param). `{{` and `}}` are literal braces. Plural forms are not
/// supported, so choose a wording that fits any number: `Zeichen: mindestens {min_length}`.
///
/// The application's own problems and checks are translated by their codes, like the framework's.
///
/// ```
/// use restwright_runtime::language::Translation;
///
/// let german = Translation::new("de")
///     .title("pet_not_found", "Tier nicht gefunden")
///     .detail("pet_not_found", "Es gibt kein Tier {id}.")
///     .violation("minimum", "muss mindestens {minimum} sein")
///     .violation("format", "muss das Format {format} haben")
///     .violation("format", "hat nicht das verlangte Format");
/// assert_eq!(german.tag(), "de");
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is declared with `Configuration::language`"]
pub struct Translation {
    pub(super) tag: String,
    pub(super) texts: Vec<TranslatedString>,
}

/// A translated string, with its kind and key.
#[derive(Debug, Clone)]
pub(super) struct TranslatedString {
    pub(super) kind: TextKind,
    pub(super) key: String,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextKind {
    Title,
    Detail,
    Violation,
}

impl Translation {
    /// Creates a translation without strings. `tag` is the language tag (RFC 5646), such as `de` or `pt-BR`.
    pub fn new(tag: impl Into<String>) -> Self {
        Self { tag: tag.into(), texts: Vec::new() }
    }

    /// Returns the tag of the language.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Sets the title of problems with the code `code`.
    pub fn title(self, code: impl Into<String>, title: impl Into<String>) -> Self {
        self.set(TextKind::Title, code.into(), title.into())
    }

    /// Sets the template for the detail of a problem. `key` is the code of a problem of the application, or a key of
    /// the framework such as `not_found.path`.
    pub fn detail(self, key: impl Into<String>, template: impl Into<String>) -> Self {
        self.set(TextKind::Detail, key.into(), template.into())
    }

    /// Adds a message template for violations with the code `code`.
    ///
    /// A code can have several templates. The framework uses the first template for which all placeholders have a
    /// value.
    pub fn violation(mut self, code: impl Into<String>, template: impl Into<String>) -> Self {
        self.texts.push(TranslatedString { kind: TextKind::Violation, key: code.into(), text: template.into() });
        self
    }

    fn set(mut self, kind: TextKind, key: String, text: String) -> Self {
        self.texts.retain(|known| known.kind != kind || known.key != key);
        self.texts.push(TranslatedString { kind, key, text });
        self
    }
}
