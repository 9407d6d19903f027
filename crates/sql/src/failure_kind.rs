//! [`FailureKind`]: the meaning of a database's error.

use std::error::Error;
use std::fmt;

use restwright_resource::StoreError;

use crate::dialect::Dialect;

/// The meaning of an error of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A value is taken, in the column of this name, if it is known.
    Unique(Option<String>),
    /// A reference leads nowhere, or an entity is referred to.
    Reference {
        /// The name of the column, if it is known.
        column: Option<String>,
        /// The name of the table whose rows refer to others, if it is known.
        table: Option<String>,
    },
    /// The column cannot hold the value.
    Value(Option<String>),
    /// A rule that the entity does not declare rejects a value: the column of the rule, if it has only one.
    Rejected(Option<String>),
    /// A text is too long for an index.
    TooLong,
    /// Another transaction is in the way, and this one was undone.
    Conflict,
    /// The database cannot be reached, is busy, or took too long.
    Unavailable,
    /// Anything else.
    Other,
}

/// Returns an error with the setting of the store that avoids it.
pub(crate) fn advised<D: Dialect>(error: sqlx::Error) -> sqlx::Error {
    match D::advice(&error) {
        Some(advice) => sqlx::Error::Configuration(format!("{error}; {advice}").into()),
        None => error,
    }
}

/// Returns the error of a statement that is about no entity.
pub(crate) fn store_error(kind: &FailureKind, error: sqlx::Error) -> StoreError {
    match kind {
        FailureKind::Conflict => StoreError::TransactionConflict,
        FailureKind::Unavailable => StoreError::unavailable(error),
        _ => StoreError::failed(error),
    }
}

/// A connection that could not be opened, with the address of the database.
#[derive(Debug)]
struct OpeningError {
    address: String,
    cause: sqlx::Error,
}

/// Returns the error of a connection that could not be opened.
pub(crate) fn opening_error<D: Dialect>(options: &D::Options, cause: sqlx::Error) -> StoreError {
    let kind = D::failure(&cause);
    let error = OpeningError { address: D::address(options), cause: advised::<D>(cause) };
    if kind == FailureKind::Unavailable { StoreError::unavailable(error) } else { StoreError::failed(error) }
}

impl fmt::Display for OpeningError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot connect to {}: {}", self.address, self.cause)
    }
}

/// The message contains the cause, because a start and a readiness check report nothing else.
impl Error for OpeningError {}
