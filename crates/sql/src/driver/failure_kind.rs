//! Defines [`FailureKind`], the classes of database errors.

use restwright_resource::StoreError;

use super::driver_error::DriverError;

/// The class of a database error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
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

/// Converts a database error that does not concern an entity to a `StoreError`.
pub(crate) fn store_error(kind: &FailureKind, error: DriverError) -> StoreError {
    match kind {
        FailureKind::Conflict => StoreError::TransactionConflict,
        FailureKind::Unavailable => StoreError::unavailable(error),
        _ => StoreError::failed(error),
    }
}
