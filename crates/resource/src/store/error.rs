//! Defines [`StoreError`], the error of a failed statement.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use restwright_core::schema::{Violation, pointer_to};

use super::Read;
use crate::codes;
use crate::row::RowError;

/// The error of a failed statement. A failed statement changes nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The scope contains no entity with this identifier.
    NotFound,
    /// Another entity already has these values.
    Conflict {
        /// The names of the fields that conflict. They are a unique field, the identifier, or the fields of a [unique
        /// constraint](crate::EntityDefinition::unique). They are empty if no field explains the conflict, for example because a unique index of
        /// the database contains an expression.
        fields: Vec<Cow<'static, str>>,
    },
    /// The stored version differs from the expected version.
    StaleVersion,
    /// The field refers to an entity that does not exist in the scope.
    MissingReference {
        /// The name of the field that contains the reference.
        field: Cow<'static, str>,
    },
    /// The entity cannot be deleted, because other entities refer to it.
    Referenced {
        /// The name of the definition whose entities refer to the entity.
        by: Cow<'static, str>,
    },
    /// The store cannot store a value of the entity.
    InvalidValue {
        /// The name of the field that contains the value.
        field: Cow<'static, str>,
        /// The reason, such as `must not be null`.
        reason: Cow<'static, str>,
    },
    /// A rule of the store rejects the values, such as a column length, a check constraint or a trigger. The definition does not contain
    /// the rule.
    Rejected {
        /// The violation that the client receives. Its pointer refers to the field. The pointer is empty if several fields or an unknown
        /// field violate the rule.
        violation: Box<Violation>,
        /// The cause of the error, which is logged.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A concurrent transaction has changed the same data. The transaction may succeed if it runs again ([`Store::retries`](crate::Store::retries)).
    TransactionConflict,
    /// The store is not reachable or is busy.
    Unavailable(Box<dyn Error + Send + Sync>),
    /// Any other error of the service or the store.
    Failed(Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Creates the error for a unique value or an identifier that another entity already has.
    #[must_use]
    pub fn conflict(field: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict { fields: vec![field.into()] }
    }

    /// Creates the error for a violated [unique constraint](crate::EntityDefinition::unique). Another entity already has these values.
    #[must_use]
    pub fn conflict_of<F: Into<Cow<'static, str>>>(fields: impl IntoIterator<Item = F>) -> Self {
        Self::Conflict { fields: fields.into_iter().map(Into::into).collect() }
    }

    /// Creates the error for a value that cannot be stored.
    #[must_use]
    pub fn invalid_value(field: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidValue { field: field.into(), reason: reason.into() }
    }

    /// Creates the error for values that a rule of the store rejects. Clients see the field, but not the cause.
    #[must_use]
    pub fn rejected(field: Option<&str>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let pointer = field.map(pointer_to).unwrap_or_default();
        let violation = Violation::new(pointer, codes::REJECTED, "is rejected by a rule of the store");
        Self::Rejected { violation: Box::new(violation), source: source.into() }
    }

    /// Creates the error for a store that is not reachable.
    #[must_use]
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }

    /// Creates the error for any other failure, from its cause or a message.
    #[must_use]
    pub fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(source.into())
    }

    /// Creates the error for a read that the store does not implement. It is an error of the service.
    #[must_use]
    pub fn unsupported(read: &Read<'_>) -> Self {
        Self::failed(format!(
            "the store does not support `Read::{0}`; handle `Read::{0}` in `Store::read`",
            read.name()
        ))
    }

    /// Returns `true` if an error or one of its causes is a [`TransactionConflict`](Self::TransactionConflict).
    pub(crate) fn is_transaction_conflict(error: &(dyn Error + 'static)) -> bool {
        let mut causes = std::iter::successors(Some(error), |&error| error.source());
        causes.any(|cause| matches!(cause.downcast_ref(), Some(Self::TransactionConflict)))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => formatter.write_str("there is no entity with this identifier"),
            Self::Conflict { fields } if fields.is_empty() => {
                formatter.write_str("another entity conflicts with these values")
            }
            Self::Conflict { fields } => write!(formatter, "another entity already has this `{}`", fields.join("`, `")),
            Self::StaleVersion => formatter.write_str("the entity has changed since it was read"),
            Self::MissingReference { field } => write!(formatter, "`{field}` refers to an entity that does not exist"),
            Self::Referenced { by } => write!(formatter, "`{by}` refer to the entity"),
            Self::InvalidValue { field, reason } => write!(formatter, "the value of `{field}` {reason}"),
            Self::Rejected { source, .. } => write!(formatter, "a rule of the store rejects the entity: {source}"),
            Self::TransactionConflict => formatter.write_str("another transaction has changed the same entities"),
            Self::Unavailable(source) => write!(formatter, "the store is unavailable: {source}"),
            Self::Failed(source) => write!(formatter, "the store failed: {source}"),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Rejected { source, .. } | Self::Unavailable(source) | Self::Failed(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}

impl From<RowError> for StoreError {
    fn from(error: RowError) -> Self {
        Self::failed(error)
    }
}
