//! Advises what to change if a database cannot be used.

#[cfg(feature = "postgres")]
use std::io::ErrorKind;

#[cfg(feature = "sqlite")]
use super::sqlite_codes::{SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_NOTADB, SQLITE_READONLY};

/// Returns what to change if a PostgreSQL server cannot be used, if a setting can prevent the error.
#[cfg(feature = "postgres")]
pub(super) fn for_postgres(error: &sqlx::Error) -> Option<&'static str> {
    match error {
        sqlx::Error::Database(error) => for_code(error.code().as_deref()?, error.message()),
        sqlx::Error::Io(error) => Some(match error.kind() {
            ErrorKind::ConnectionRefused => "start the server, or correct the host and the port of the URL",
            ErrorKind::NotFound => "no server has this socket; check the folder and the port of the URL",
            _ if error.to_string().contains("lookup address") => {
                "the host is unknown; check the host of the URL and the name server"
            }
            _ => "check the host and the port of the URL, and firewalls between",
        }),
        #[cfg(not(feature = "tls"))]
        sqlx::Error::Tls(_) => Some("enable the feature `tls`, or write `sslmode=disable` in the URL"),
        #[cfg(feature = "tls")]
        sqlx::Error::Tls(_) => Some("check `sslmode` and `sslrootcert` of the URL"),
        _ => None,
    }
}

/// Returns what to change if a connection fails with this code of the server, if a setting can prevent the error.
#[cfg(feature = "postgres")]
fn for_code(code: &str, message: &str) -> Option<&'static str> {
    Some(match code {
        "28P01" => "check the user and the password of the URL",
        "28000" => "check the user of the URL, and `pg_hba.conf` of the server",
        "3D000" => "create the database, for example with `createdb`, or correct the name in the URL",
        "42501" if message.contains("row-level security") => {
            "change the `WITH CHECK` expression of the table's policy, or set its parameters with `per_transaction` on the store"
        }
        "42501" => "grant the user of the URL this right, or let another user create the tables",
        "53300" => {
            "lower the connections with `.connections(..)` on the store, or raise `max_connections` of the server"
        }
        "57P03" => "start again when the server accepts connections",
        // A prepared statement does not exist or already exists.
        "26000" | "42P05" => OF_POOLER,
        // pgbouncer reports `unsupported startup parameter: options`.
        "08P01" if message.contains("startup parameter") => OF_POOLER,
        _ => return None,
    })
}

/// The advice for errors that a transaction pooler causes.
#[cfg(feature = "postgres")]
const OF_POOLER: &str =
    "if the URL belongs to a transaction pooler, such as pgbouncer, call `.transaction_pooler()` on the store";

/// Returns what to change if a SQLite database cannot be opened, if a setting can prevent the error.
#[cfg(feature = "sqlite")]
pub(super) fn for_sqlite(code: i32) -> Option<&'static str> {
    // The low byte is the primary result code.
    match code & 0xFF {
        SQLITE_BUSY => Some("another process has locked the file; stop it, or choose another file"),
        SQLITE_READONLY => Some(
            "make the file and its folder writable, or call `.requires([StorePart::Reads])` on the store if it only reads",
        ),
        SQLITE_CANTOPEN => {
            Some("the path must name a file in an existing folder, and the process needs the right to write to both")
        }
        SQLITE_NOTADB => Some("the file is not a SQLite database, or is encrypted; choose another file"),
        _ => None,
    }
}
