//! The texts of one language.

/// The titles and details of problems and the messages of violations in one language.
///
/// Details and messages are templates: `{name}` stands for a value of the violation's `params`, of the problem's members, or of its
/// [`detail_param`](restwright_core::Problem::detail_param), and `{{` and `}}` for braces. There are no plural forms, so word them so that any number
/// fits: `Zeichen: mindestens {min_length}`.
///
/// The application's own problems and checks are translated by their codes like those of the framework.
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
#[must_use = "it does nothing until it is declared with `Configuration::language`"]
pub struct Translation {
    pub(super) tag: String,
    pub(super) texts: Vec<Text>,
}

/// A text of a translation.
#[derive(Debug, Clone)]
pub(super) struct Text {
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
    /// Creates a translation without texts into the language of a tag (RFC 5646), such as `de` or `pt-BR`.
    pub fn new(tag: impl Into<String>) -> Self {
        Self { tag: tag.into(), texts: Vec::new() }
    }

    /// Returns the tag of the language.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Sets the title of the problem with a code.
    pub fn title(self, code: impl Into<String>, title: impl Into<String>) -> Self {
        self.set(TextKind::Title, code.into(), title.into())
    }

    /// Sets the detail of a problem: of the application's own by its code, of the framework's by a key such as `not_found.path`.
    pub fn detail(self, key: impl Into<String>, template: impl Into<String>) -> Self {
        self.set(TextKind::Detail, key.into(), template.into())
    }

    /// Adds a message of the violations with a code. Of several, the first is used whose placeholders the violation all has.
    pub fn violation(mut self, code: impl Into<String>, template: impl Into<String>) -> Self {
        self.texts.push(Text { kind: TextKind::Violation, key: code.into(), text: template.into() });
        self
    }

    fn set(mut self, kind: TextKind, key: String, text: String) -> Self {
        self.texts.retain(|known| known.kind != kind || known.key != key);
        self.texts.push(Text { kind, key, text });
        self
    }
}
