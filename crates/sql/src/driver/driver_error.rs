//! Defines [`DriverError`], an error of either database.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// An error of either database, of its driver, or of a value in a row.
#[derive(Debug)]
pub(crate) enum DriverError {
    /// An error that SQLite reported. `code` is the extended result code (<https://www.sqlite.org/rescode.html>).
    #[cfg(feature = "sqlite")]
    Sqlite { code: i32, message: String },
    #[cfg(feature = "postgres")]
    Postgres(sqlx::Error),
    /// A value in a column is unreadable, or no column has the index.
    Column { index: usize, reason: String },
    /// No connection was free, or a statement took too long.
    Unavailable(String),
    /// Any other error, such as a value that the database cannot store.
    Other(String),
}

impl DriverError {
    /// Creates the error of an unreadable value in a column.
    pub(crate) fn column(index: usize, reason: impl fmt::Display) -> Self {
        Self::Column { index, reason: reason.to_string() }
    }

    /// Creates the error of a file that another process has locked.
    #[cfg(feature = "sqlite")]
    pub(crate) fn locked(message: String) -> Self {
        Self::Sqlite { code: super::sqlite_codes::SQLITE_BUSY, message }
    }

    /// Returns the same error again, for each change of a group.
    #[cfg(feature = "sqlite")]
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Sqlite { code, message } => Self::Sqlite { code: *code, message: message.clone() },
            Self::Unavailable(message) => Self::Unavailable(message.clone()),
            other => Self::Other(other.to_string()),
        }
    }

    /// Returns the code that the database reported: a result code of SQLite, or a SQLSTATE of PostgreSQL.
    pub(crate) fn code(&self) -> Option<Cow<'_, str>> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite { code, .. } => Some(code.to_string().into()),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => error.as_database_error()?.code(),
            _ => None,
        }
    }

    /// Returns the message that the database reported.
    pub(crate) fn reported(&self) -> Option<&str> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite { message, .. } => Some(message),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => Some(error.as_database_error()?.message()),
            _ => None,
        }
    }

    /// Returns the message without the prefixes of a driver, such as "error with configuration".
    pub(crate) fn message(&self) -> String {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite { message, .. } => message.clone(),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => of_sqlx(error),
            other => other.to_string(),
        }
    }

    /// Returns `true` if a row with the same unique values exists.
    pub(crate) fn is_unique_violation(&self) -> bool {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite { code, .. } => super::sqlite_codes::is_unique_violation(*code),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => error.as_database_error().is_some_and(|error| error.is_unique_violation()),
            _ => false,
        }
    }

    /// Returns `true` if a pool of sqlx had no connection in time. It does not report why it opened none.
    pub(crate) fn is_of_pool(&self) -> bool {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => matches!(error, sqlx::Error::PoolTimedOut),
            _ => false,
        }
    }
}

#[cfg(feature = "postgres")]
fn of_sqlx(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Configuration(error) | sqlx::Error::Tls(error) => {
            error.downcast_ref::<sqlx::Error>().map_or_else(|| error.to_string(), of_sqlx)
        }
        other => other.to_string(),
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite { code, message } => write!(formatter, "{message} (result code {code})"),
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => error.fmt(formatter),
            Self::Column { index, reason } => write!(formatter, "the value in column {index} is unreadable: {reason}"),
            Self::Unavailable(message) | Self::Other(message) => formatter.write_str(message),
        }
    }
}

impl Error for DriverError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(error) => error.source(),
            _ => None,
        }
    }
}

#[cfg(feature = "postgres")]
impl From<sqlx::Error> for DriverError {
    fn from(error: sqlx::Error) -> Self {
        Self::Postgres(error)
    }
}

#[cfg(feature = "sqlite")]
impl From<rusqlite::Error> for DriverError {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::SqliteFailure(failure, message) => {
                let message = message.unwrap_or_else(|| failure.to_string());
                Self::Sqlite { code: failure.extended_code, message }
            }
            // Its text would contain the whole statement.
            rusqlite::Error::SqlInputError { error, msg, .. } => {
                Self::Sqlite { code: error.extended_code, message: msg }
            }
            rusqlite::Error::InvalidColumnIndex(index) => Self::column(index, "the row has no such column"),
            other => Self::Other(other.to_string()),
        }
    }
}
