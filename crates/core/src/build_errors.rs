//! The errors of building an Api.

use std::fmt;

/// The kind of a [`BuildError`], for code that reacts to some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A setting of the configuration, or of the Api as a whole.
    Configuration,
    /// The declaration of an authenticator, or a name of two.
    Authenticator,
    /// The path, the method or a setting of a route, or a conflict with another route.
    Route,
    /// The id of an operation, which another one has.
    OperationId,
    /// The access of a route.
    Access,
    /// A request: its parameters, its body, its other parts.
    Request,
    /// A response: its bodies and headers.
    Response,
    /// A middleware.
    Middleware,
    /// A rate limit.
    RateLimit,
    /// A schema.
    Schema,
    /// No kind was given. The errors of an Api have another one.
    Other,
}

/// A mistake in the declaration of an Api.
///
/// It is made from a text, or with [`new`](Self::new) if no kind of the place where it is found fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    kind: BuildErrorKind,
    place: Option<String>,
    message: String,
}

impl BuildError {
    /// Creates an error of a kind. The message is a sentence that says what to do instead.
    #[must_use]
    pub fn new(kind: BuildErrorKind, message: impl Into<String>) -> Self {
        Self { kind, place: None, message: message.into() }
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> BuildErrorKind {
        self.kind
    }

    /// Returns the place of the mistake, such as `GET /pets`; `None` if it concerns the Api as a whole.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns the message, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        }
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}

impl<T: Into<String>> From<T> for BuildError {
    fn from(message: T) -> Self {
        Self::new(BuildErrorKind::Other, message)
    }
}

/// Every mistake that building an Api found; a complete sentence each, with what to do instead.
///
/// `Debug` prints the same list as `Display`, so that `fn main() -> Result<(), ..>` shows it as it is.
///
/// ```
/// use restwright_core::{BuildErrorKind, BuildErrors};
///
/// let errors = BuildErrors::one("the page size is 0; admit at least 1").or_kind(BuildErrorKind::Request).at("GET /pets");
/// let [error] = errors.errors() else { unreachable!() };
/// assert_eq!((error.kind(), error.place()), (BuildErrorKind::Request, Some("GET /pets")));
/// assert_eq!(error.to_string(), "GET /pets: the page size is 0; admit at least 1");
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BuildErrors {
    errors: Vec<BuildError>,
    /// The errors as texts.
    messages: Vec<String>,
}

impl BuildErrors {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a list of one error.
    #[must_use]
    pub fn one(error: impl Into<BuildError>) -> Self {
        let mut errors = Self::new();
        errors.push(error);
        errors
    }

    /// Adds an error, unless there is one with the same text.
    pub fn push(&mut self, error: impl Into<BuildError>) {
        let error = error.into();
        let message = error.to_string();
        if !self.messages.contains(&message) {
            self.messages.push(message);
            self.errors.push(error);
        }
    }

    /// Returns the value, or adds the errors.
    pub fn take<T>(&mut self, outcome: Result<T, Self>) -> Option<T> {
        outcome.map_err(|errors| self.append(errors)).ok()
    }

    fn append(&mut self, errors: Self) {
        errors.errors.into_iter().for_each(|error| self.push(error));
    }

    /// Returns `value` if it is there and the list is empty.
    ///
    /// # Errors
    /// The errors of the list.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self),
        }
    }

    /// Returns the errors, with their kinds and places.
    #[must_use]
    pub fn errors(&self) -> &[BuildError] {
        &self.errors
    }

    /// Returns the errors as texts, each with its place in front.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Sets the kind of the errors that have none.
    #[must_use]
    pub fn or_kind(mut self, kind: BuildErrorKind) -> Self {
        self.errors.iter_mut().filter(|error| error.kind == BuildErrorKind::Other).for_each(|error| error.kind = kind);
        self
    }

    /// Adds a place in front of that of each error.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        let mut placed = Self::new();
        for mut error in self.errors {
            error.place = Some(match error.place {
                Some(inner) => format!("{place}: {inner}"),
                None => place.to_string(),
            });
            placed.push(error);
        }
        placed
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.messages.len();
        writeln!(
            formatter,
            "the Api cannot be built, {count} {} to mend:",
            if count == 1 { "thing is" } else { "things are" }
        )?;
        self.messages.iter().try_for_each(|message| writeln!(formatter, "  - {message}"))
    }
}

impl fmt::Debug for BuildErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for BuildErrors {}
