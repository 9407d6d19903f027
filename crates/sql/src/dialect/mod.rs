//! [`Dialect`]: all in which databases differ, a file for each.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use restwright_list::ValueType;
use sea_query::{Expr, QueryStatementWriter, Value as SqlValue};
use sqlx::Database;
use sqlx::pool::PoolOptions;

#[cfg(feature = "postgres")]
pub use postgres::Postgres;
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;

use crate::cell::Cell;
use crate::failure_kind::FailureKind;
use crate::schema::SchemaDialect;
use crate::settings::Settings;
use crate::statements::Bound;
use crate::table::{Column, Table};

/// The statements after which a database makes no identifier up to another one.
#[derive(Debug)]
pub struct SkipIdentifiers {
    /// A query that has a row if the database would make such an identifier.
    pub(crate) is_needed: Bound,
    pub(crate) sql: Arc<str>,
}

/// A database with its SQL: [`Sqlite`] or [`Postgres`].
///
/// It cannot be implemented elsewhere.
pub trait Dialect: Driver {}

impl<D: Driver> Dialect for D {}

/// All in which the databases differ. The crate does not export it.
pub trait Driver:
    SchemaDialect<Raw = <Self::Database as Database>::Connection> + Clone + Debug + Send + Sync + 'static
{
    /// The database as sqlx has it.
    type Database: Database;

    /// The options of a connection.
    type Options: Clone + Debug + Send + Sync + 'static;

    /// The name of the database.
    const NAME: &'static str;

    /// A URL, for messages.
    const EXAMPLE: &'static str;

    /// The statement that begins a transaction.
    const BEGIN: &'static str;

    /// The condition that another one, at `$1` or `?`, does not hold.
    const IS_NOT_TRUE: &'static str;

    /// Orders of nullable columns say where null is.
    const NULLS_ARE_LARGEST: bool;

    /// Rows are compared as `(a, b) > (1, 2)` by one range of an index.
    const COMPARES_ROWS: bool;

    /// The parts of a union are merged in the order of their indexes, so that none is read further than it is needed.
    const MERGES_UNIONS: bool;

    /// Transactions can set parameters, which policies of rows read.
    const HAS_PARAMETERS: bool;

    /// Rows can be locked by a `SELECT`.
    const LOCKS_ROWS: bool;

    /// A statement may fail because of a concurrent transaction, and succeed when it runs again.
    const HAS_CONFLICTS: bool;

    /// Of several values that are taken, an error names that of the newest index, and the transaction goes on.
    const NAMES_LAST_CONFLICT: bool;

    /// A reference is checked before what a cascade has still to delete.
    const CHECKS_BEFORE_CASCADES: bool;

    /// A query that returns a row if the database accepts writes.
    const IS_WRITABLE: Option<&'static str>;

    /// The words before a statement that return its plan, without running it.
    const EXPLAIN: &'static str;

    /// The place of the text in the rows of a plan.
    const PLAN_COLUMN: usize;

    /// Each worker has connections of its own.
    const IS_PER_WORKER: bool;

    /// Reads the options of a URL.
    fn options(url: &str, settings: &Settings) -> Result<Self::Options, String>;

    /// Returns `true` if the database is in the memory of one connection.
    fn is_in_memory(options: &Self::Options) -> bool;

    /// Returns the address of the database without credentials, for messages.
    fn address(options: &Self::Options) -> String;

    /// Returns the options of a connection that creates a missing database.
    #[must_use]
    fn creating(_: &Self::Options) -> Option<Self::Options> {
        None
    }

    /// Returns `true` if a database that is not in memory is gone, although connections to it may still be open.
    #[must_use]
    fn is_lost(_: &Self::Options) -> bool {
        false
    }

    fn pool(options: &Self::Options, pool: PoolOptions<Self::Database>) -> sqlx::Pool<Self::Database>;

    fn connect(
        options: &Self::Options,
        settings: &Settings,
    ) -> impl Future<Output = Result<Connection<Self>, sqlx::Error>> + Send;

    /// Lets a flag cancel the statements of a connection. PostgreSQL cancels the statement of a connection that closes.
    fn cancel_by(
        _connection: &mut Connection<Self>,
        _is_cancelled: Arc<AtomicBool>,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send {
        async { Ok(()) }
    }

    fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>);

    /// Returns a statement with its values in it, to be sent in one message with others. It is `None` if the database is in this process, which
    /// gains nothing by it.
    #[cfg(feature = "idempotency")]
    fn inline(statement: &impl QueryStatementWriter) -> Option<String> {
        let _ = statement;
        None
    }

    /// The expression of a value that is bound to a column.
    fn bound(column: &Column, value: SqlValue) -> Expr;

    /// The statements after which the database makes no identifier up to this one. `None` if an insert does so itself.
    fn skip_identifiers(_table: &Table, _identifier: i64) -> Option<SkipIdentifiers> {
        None
    }

    fn contains(text: Expr, part: &str) -> Expr;

    fn ends_with(text: Expr, end: &str) -> Expr;

    /// A text that is compared by code point.
    fn in_code_point_order(text: Expr) -> Expr;

    /// Runs a statement, and returns the number of rows that it changed.
    fn execute(
        connection: &mut Connection<Self>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// Runs a statement, and returns its rows.
    fn fetch(
        connection: &mut Connection<Self>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> impl Future<Output = Result<Vec<Row<Self>>, sqlx::Error>> + Send;

    /// Returns the value at a place of a row.
    fn cell<'r>(row: &'r Row<Self>, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error>;

    /// Returns the bytes at a place of a row.
    fn bytes(row: &Row<Self>, index: usize) -> Result<Vec<u8>, sqlx::Error>;

    /// Runs SQL without parameters, several statements too.
    fn run(connection: &mut Connection<Self>, sql: Arc<str>) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Returns the meaning of an error of a statement on a table.
    fn failure_of(error: &(dyn sqlx::error::DatabaseError + 'static), table: &Table) -> FailureKind;

    /// Returns `true` if a commit failed because a deferred trigger rejects what was written.
    fn is_rejection(error: &sqlx::Error) -> bool;

    /// Returns `true` if the database is read-only.
    #[must_use]
    fn is_read_only(_error: &sqlx::Error) -> bool {
        false
    }

    /// Returns the setting of the store that avoids an error.
    #[must_use]
    fn advice(_error: &sqlx::Error) -> Option<&'static str> {
        None
    }

    /// Returns the meaning of an error that is about no table.
    fn failure(error: &sqlx::Error) -> FailureKind;
}

pub(crate) type Connection<D> = <<D as Driver>::Database as Database>::Connection;
pub(crate) type Row<D> = <<D as Driver>::Database as Database>::Row;

/// Returns the meaning of an error that is none of the database.
fn failure(error: &sqlx::Error) -> FailureKind {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}
