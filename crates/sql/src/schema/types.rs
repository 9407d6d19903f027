//! The types of columns, which differ between the databases.

use restwright_list::ValueType;

use super::found_table::FoundColumn;
#[cfg(feature = "postgres")]
use super::{postgres, postgres_conversion};
#[cfg(feature = "sqlite")]
use super::{sqlite, sqlite_conversion};
use crate::dialect::Dialect;
use crate::driver::Database;
use crate::table::{ColumnLimit, Encoding};
use crate::wanted::ColumnKind;

/// Calls the function of a database.
macro_rules! of {
    ($dialect:expr, $function:ident($($argument:expr),*)) => {
        match $dialect.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite => sqlite::$function($($argument),*),
            #[cfg(feature = "postgres")]
            Database::Postgres => postgres::$function($($argument),*),
        }
    };
}

/// Returns the SQL type of a column that the store creates.
pub(super) fn column_type(dialect: &Dialect, kind: ColumnKind) -> &'static str {
    of!(dialect, column_type(kind))
}

/// Returns the SQL type of a column for error messages, without key constraints.
pub(super) fn plain_type(dialect: &Dialect, kind: ColumnKind) -> &'static str {
    column_type(dialect, if kind == ColumnKind::Identity { ColumnKind::Version } else { kind })
}

/// Returns the encoding of values in an existing column. Returns `None` if the column cannot store all values or compares them differently.
pub(super) fn accepts(dialect: &Dialect, kind: ColumnKind, found: &FoundColumn) -> Option<Encoding> {
    of!(dialect, accepts(kind, found))
}

/// Returns the limit of an existing column, if its type is narrower than the type that the store would choose.
pub(super) fn limit(dialect: &Dialect, found: &FoundColumn) -> Option<ColumnLimit> {
    match dialect.database {
        // SQLite does not enforce a declared length, and every integer has 64 bits.
        #[cfg(feature = "sqlite")]
        Database::Sqlite => None,
        #[cfg(feature = "postgres")]
        Database::Postgres => postgres::limit(found),
    }
}

/// Returns an SQL expression for the exact counterparts of the values of an existing column in the required type. Without a counterpart, it is an error
/// on PostgreSQL and null on SQLite. Returns `None` if no value has a counterpart.
pub(super) fn conversion(dialect: &Dialect, kind: ColumnKind, found: &FoundColumn) -> Option<String> {
    match dialect.database {
        #[cfg(feature = "sqlite")]
        Database::Sqlite => Some(sqlite_conversion::conversion(kind, found)),
        #[cfg(feature = "postgres")]
        Database::Postgres => postgres_conversion::conversion(kind, plain_type(dialect, kind), found),
    }
}

/// Returns the condition that a value of an existing column has no exact counterpart in the required type. Returns `None` if the conversion is then an
/// error.
pub(super) fn inexact(dialect: &Dialect, kind: ColumnKind, found: &FoundColumn) -> Option<String> {
    match dialect.database {
        #[cfg(feature = "sqlite")]
        Database::Sqlite => Some(sqlite_conversion::inexact(kind, found)),
        #[cfg(feature = "postgres")]
        Database::Postgres => None,
    }
}

/// Returns an SQL expression that formats the values of a column as strings.
pub(super) fn shown(dialect: &Dialect, column: &str) -> String {
    of!(dialect, shown(column))
}

/// Returns an SQL literal that can serve as the default of a new column.
pub(super) fn example(dialect: &Dialect, value_type: ValueType) -> &'static str {
    of!(dialect, example(value_type))
}

/// Returns the statement that renames or drops an index, so its name becomes free.
pub(super) fn free_index(dialect: &Dialect, schema: Option<&str>, name: &str) -> String {
    of!(dialect, free_index(schema, name))
}
