//! Defines [`FailureKind`], the classes of database errors.

use std::error::Error;
use std::fmt;

use restwright_core::runtime::log;
use restwright_resource::StoreError;

use crate::dialect::Dialect;

/// The class of a database error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// A unique or exclusion constraint is violated, because of the values of another row. Contains the names of the columns without the
    /// scope. It is empty if the columns are unknown, for example because the index contains an expression.
    Unique(Vec<String>),
    /// A foreign key is violated, because a referenced row is missing or a deleted row is still referenced.
    Reference {
        /// The name of the column with the foreign key, if known.
        column: Option<String>,
        /// The name of the table with the foreign key, if known.
        table: Option<String>,
    },
    /// A column cannot store its value. Contains the name of the column, if known.
    Value(Option<String>),
    /// A check, trigger or policy of the database rejects the row. Contains the column of the rule, if the rule is about a single column.
    Rejected(Option<String>),
    /// A string is too long for an index.
    TooLong,
    /// The transaction was rolled back because of a conflict with a concurrent transaction.
    Conflict,
    /// The database is not reachable, is busy, or took too long.
    Unavailable,
    /// Any other error.
    Other,
}

impl FailureKind {
    /// Returns the name of the class in metrics.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Unique(_) => "unique",
            Self::Reference { .. } => "reference",
            Self::Value(_) => "value",
            Self::Rejected(_) => "rejected",
            Self::TooLong => "too_long",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Other => "other",
        }
    }
}

/// Adds advice to an error message if a setting of the store can prevent the error.
pub(crate) fn advised<D: Dialect>(error: sqlx::Error) -> sqlx::Error {
    match D::advice(&error) {
        Some(advice) => sqlx::Error::Configuration(format!("{error}; {advice}").into()),
        None => error,
    }
}

/// Converts a database error that does not concern an entity to a `StoreError`.
pub(crate) fn store_error(kind: &FailureKind, error: sqlx::Error) -> StoreError {
    match kind {
        FailureKind::Conflict => StoreError::TransactionConflict,
        FailureKind::Unavailable => StoreError::unavailable(error),
        _ => StoreError::failed(error),
    }
}

/// Returns the message of a database error, followed by advice if a setting can prevent the error.
pub(crate) fn advised_message<D: Dialect>(error: &sqlx::Error) -> String {
    let message = message(error);
    match D::advice(error) {
        Some(advice) => format!("{message}; {advice}"),
        None => message,
    }
}

/// Returns the message of a database error without the prefixes of sqlx, such as "error with configuration".
pub(crate) fn message(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Configuration(error) | sqlx::Error::Tls(error) => {
            error.downcast_ref::<sqlx::Error>().map_or_else(|| error.to_string(), message)
        }
        other => other.to_string(),
    }
}

/// Converts a connection error to a `StoreError`. The message contains the address of the database and the cause, because a failed start
/// and a readiness check report only the message.
pub(crate) fn opening_error<D: Dialect>(options: &D::Options, cause: &sqlx::Error) -> StoreError {
    let message = format!("cannot connect to {}: {}", D::address(options), advised_message::<D>(cause));
    if is_crowded(cause) {
        StoreError::unavailable(Crowded(message))
    } else if D::failure(cause) == FailureKind::Unavailable {
        StoreError::unavailable(message)
    } else {
        StoreError::failed(message)
    }
}

/// Returns `true` if the server has too many connections to accept another one. Another attempt can succeed.
pub(crate) fn is_crowded(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.code().as_deref() == Some("53300"))
}

/// The message of a connection error of a server with too many connections.
#[derive(Debug)]
pub(crate) struct Crowded(String);

impl fmt::Display for Crowded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for Crowded {}

/// Logs that a start waits for a connection, because the server has too many.
pub(crate) fn log_crowded<D: Dialect>(cause: &str) {
    log(|| {
        tracing::warn!(database = D::NAME, cause, "the start waits, because the server accepts no further connections")
    });
}
