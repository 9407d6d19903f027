//! Errors of opening a connection.

use std::error::Error;
use std::fmt;

use restwright_core::runtime::log;
use restwright_resource::StoreError;

#[cfg(feature = "sqlite")]
use crate::driver::sqlite;
use crate::driver::{Database, DriverError, FailureKind};

/// Converts a connection error to a `StoreError`. The message contains the address of the database and the cause, because a failed start
/// and a readiness check report only the message.
pub(super) fn opening_error(database: Database, address: &str, cause: &DriverError) -> StoreError {
    let message = format!("cannot connect to {address}: {}", database.advised_message(cause));
    #[cfg(feature = "sqlite")]
    if sqlite::is_locked(cause) {
        return StoreError::unavailable(Locked(message));
    }
    if is_crowded(cause) {
        StoreError::unavailable(Crowded(message))
    } else if database.failure(cause) == FailureKind::Unavailable {
        StoreError::unavailable(message)
    } else {
        StoreError::failed(message)
    }
}

/// Returns `true` if the server has too many connections to accept another one. Another attempt can succeed.
pub(crate) fn is_crowded(error: &DriverError) -> bool {
    error.code().as_deref() == Some("53300")
}

/// The message of a connection error of a file that another process has locked.
#[cfg(feature = "sqlite")]
#[derive(Debug)]
pub(super) struct Locked(String);

#[cfg(feature = "sqlite")]
impl fmt::Display for Locked {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(feature = "sqlite")]
impl Error for Locked {}

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
pub(crate) fn log_crowded(database: Database, cause: &str) {
    log(|| {
        tracing::warn!(
            database = database.name(),
            cause,
            "the start waits, because the server accepts no further connections"
        )
    });
}
