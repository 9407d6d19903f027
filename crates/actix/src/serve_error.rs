//! Defines [`ServeError`], the error of a server.

use std::error::Error;
use std::{fmt, io};

use restwright_runtime::ComponentFailure;
use restwright_runtime::core::{BuildErrors, SetupError};

/// The reason why a server cannot start, or has failed.
///
/// `Debug` prints the same text as `Display`, so `fn main() -> Result<(), ServeError>` prints a readable error. With
/// `?`, the errors of settings, of building an Api, of its components and of sockets become a `ServeError`.
///
/// ```no_run
/// use restwright_actix::{ServeError, run, serve};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// fn main() -> Result<(), ServeError> {
///     let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
///     run(serve(api, "127.0.0.1:8080"))
/// }
/// ```
#[non_exhaustive]
pub enum ServeError {
    /// A variable of the environment is missing or invalid, or the log cannot be set up.
    Setup(SetupError),
    /// The Api cannot be built.
    Build(BuildErrors),
    /// A component cannot start, such as a store whose database is not reachable.
    Start(ComponentFailure),
    /// Components did not stop in time.
    Stop(Vec<ComponentFailure>),
    /// A socket cannot be used, or the system does not permit another thread.
    Io(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(formatter),
            Self::Build(errors) => errors.fmt(formatter),
            Self::Start(failure) => failure.fmt(formatter),
            Self::Stop(failures) => failures.iter().enumerate().try_for_each(|(index, failure)| {
                let separator = if index == 0 { "" } else { "; " };
                write!(formatter, "{separator}{failure}")
            }),
            Self::Io(error) => error.fmt(formatter),
        }
    }
}

impl fmt::Debug for ServeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Implements `Error` without a `source`, because the message includes the causes.
impl Error for ServeError {}

impl From<SetupError> for ServeError {
    fn from(error: SetupError) -> Self {
        Self::Setup(error)
    }
}

impl From<BuildErrors> for ServeError {
    fn from(errors: BuildErrors) -> Self {
        Self::Build(errors)
    }
}

impl From<ComponentFailure> for ServeError {
    fn from(failure: ComponentFailure) -> Self {
        Self::Start(failure)
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Lets an existing `main` that returns `std::io::Result` use `?`. Rust then prints the message inside of other text.
impl From<ServeError> for io::Error {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Io(error) => error,
            other => Self::other(other),
        }
    }
}
