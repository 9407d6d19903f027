//! Defines [`BuildErrors`], the errors that are found when an Api is built.

use std::fmt;

/// The kind of a [`BuildError`]. Use it to handle some errors differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// The error is in a setting of the configuration, or in the Api as a whole.
    Configuration,
    /// The error is in the declaration of an authenticator, or two authenticators have the same name.
    Authenticator,
    /// The error is in the path, the method or a setting of a route, or the route conflicts with another route.
    Route,
    /// Two operations have the same id.
    OperationId,
    /// The error is in the access rules of a route.
    Access,
    /// The error is in the declaration of a request, such as a parameter or the body.
    Request,
    /// The error is in the body or a header of a response.
    Response,
    /// The error is in a middleware.
    Middleware,
    /// The error is in a rate limit.
    RateLimit,
    /// The error is in a schema.
    Schema,
    /// The error has no specific kind yet. The runtime replaces this kind before it reports the errors of an Api.
    Other,
}

/// An error in the declaration of an Api.
///
/// A string converts into a build error. The kind of this error then depends on the declaration that contains the
/// error. Use [`new`](Self::new) to set another kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    kind: BuildErrorKind,
    place: Option<String>,
    message: String,
}

impl BuildError {
    /// Creates an error of this kind. The message should be a sentence that explains how to fix the error.
    #[must_use]
    pub fn new(kind: BuildErrorKind, message: impl Into<String>) -> Self {
        Self { kind, place: None, message: message.into() }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> BuildErrorKind {
        self.kind
    }

    /// Returns the name of the declaration that contains the error, such as `GET /pets`. Returns `None` if the error
    /// concerns the whole Api.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns the message that explains the error and how to fix it. The message does not name the declaration that
    /// contains the error; [`place`](Self::place) returns this name.
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

/// All errors that were found while an Api was built. Each error is a sentence that explains how to fix it.
///
/// `Debug` prints the same list as `Display`, so `fn main() -> Result<(), ..>` prints it in readable form.
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
    /// The formatted errors, each with its place and message. They are used to find duplicates.
    messages: Vec<String>,
}

impl BuildErrors {
    /// Creates an empty list of errors.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a list that contains one error.
    #[must_use]
    pub fn one(error: impl Into<BuildError>) -> Self {
        let mut errors = Self::new();
        errors.push(error);
        errors
    }

    /// Adds an error, unless the list already contains an error with the same place and message.
    pub fn push(&mut self, error: impl Into<BuildError>) {
        let error = error.into();
        let message = error.to_string();
        if !self.messages.contains(&message) {
            self.messages.push(message);
            self.errors.push(error);
        }
    }

    /// Returns the value in `outcome`, or adds the errors in `outcome` to the list and returns `None`.
    pub fn take<T>(&mut self, outcome: Result<T, Self>) -> Option<T> {
        outcome.map_err(|errors| self.append(errors)).ok()
    }

    fn append(&mut self, errors: Self) {
        errors.errors.into_iter().for_each(|error| self.push(error));
    }

    /// Returns `value` if it is `Some` and the list contains no errors.
    ///
    /// # Errors
    /// Returns the list otherwise.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.is_empty() => Ok(value),
            _ => Err(self),
        }
    }

    /// Returns the list of errors, each with its kind, place and message.
    #[must_use]
    pub fn errors(&self) -> &[BuildError] {
        &self.errors
    }

    /// Returns each error as a string that begins with the place of the error, such as `GET /pets`.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Returns `true` if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Sets the kind of all errors that still have the kind [`Other`](BuildErrorKind::Other).
    #[must_use]
    pub fn or_kind(mut self, kind: BuildErrorKind) -> Self {
        self.errors.iter_mut().filter(|error| error.kind == BuildErrorKind::Other).for_each(|error| error.kind = kind);
        self
    }

    /// Prefixes the [`place`](BuildError::place) of each error with an outer declaration, such as `GET /pets`.
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
            "the Api cannot be built because of {count} {}:",
            if count == 1 { "error" } else { "errors" }
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
