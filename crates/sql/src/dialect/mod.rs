//! [`Dialect`], the differences between databases. Each database has its own file.

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

/// The statements that prevent a database from generating an identifier or any smaller one.
#[derive(Debug)]
pub struct SkipIdentifiers {
    /// A query that returns a row if the database could still generate such an identifier.
    pub(crate) is_needed: Bound,
    pub(crate) sql: Arc<str>,
}

/// A database: [`Sqlite`] or [`Postgres`].
///
/// Other crates cannot implement it.
pub trait Dialect: Driver {}

impl<D: Driver> Dialect for D {}

/// The differences between the databases. The crate does not export this trait.
pub trait Driver:
    SchemaDialect<Raw = <Self::Database as Database>::Connection> + Clone + Debug + Send + Sync + 'static
{
    /// The type of the database in sqlx.
    type Database: Database;

    /// The options of a connection.
    type Options: Clone + Debug + Send + Sync + 'static;

    /// The name of the database.
    const NAME: &'static str;

    /// An example of a URL, for error messages.
    const EXAMPLE: &'static str;

    /// The statement that begins a transaction.
    const BEGIN: &'static str;

    /// The negation of a condition, at `$1` or `?`. It is true if the condition is null.
    const IS_NOT_TRUE: &'static str;

    /// Orders of nullable columns must state the position of null.
    const NULLS_ARE_LARGEST: bool;

    /// Comparisons such as `(a, b) > (1, 2)` use one range of an index.
    const COMPARES_ROWS: bool;

    /// A union is read by merging indexes, and only as far as needed.
    const MERGES_UNIONS: bool;

    /// Transactions can set parameters, which row-level policies read.
    const HAS_PARAMETERS: bool;

    /// A `SELECT` can lock rows.
    const LOCKS_ROWS: bool;

    /// A statement may fail because of a concurrent transaction, and may succeed if it runs again.
    const HAS_CONFLICTS: bool;

    /// If several values are taken, the error names the newest index, and the transaction can continue.
    const NAMES_LAST_CONFLICT: bool;

    /// A reference is checked before a cascade is complete.
    const CHECKS_BEFORE_CASCADES: bool;

    /// A query that returns a row if the database accepts writes.
    const IS_WRITABLE: Option<&'static str>;

    /// The start of a statement that returns the plan of a query without running it.
    const EXPLAIN: &'static str;

    /// The index of the column of a plan that contains its text.
    const PLAN_COLUMN: usize;

    /// Each worker has its own connections.
    const IS_PER_WORKER: bool;

    /// Parses the options in a URL.
    fn options(url: &str, settings: &Settings) -> Result<Self::Options, String>;

    /// Returns `true` if the database is in the memory of one connection.
    fn is_in_memory(options: &Self::Options) -> bool;

    /// Returns the address of the database without credentials, for error messages.
    fn address(options: &Self::Options) -> String;

    /// Returns the options of a connection that creates a missing database.
    #[must_use]
    fn creating(_: &Self::Options) -> Option<Self::Options> {
        None
    }

    /// Returns `true` if a database that is not in memory no longer exists, even if connections to it are open.
    #[must_use]
    fn is_lost(_: &Self::Options) -> bool {
        false
    }

    fn pool(options: &Self::Options, pool: PoolOptions<Self::Database>) -> sqlx::Pool<Self::Database>;

    fn connect(
        options: &Self::Options,
        settings: &Settings,
    ) -> impl Future<Output = Result<Connection<Self>, sqlx::Error>> + Send;

    /// Lets a flag cancel the statements of a connection. PostgreSQL instead cancels the statement when the connection closes.
    fn cancel_by(
        _connection: &mut Connection<Self>,
        _is_cancelled: Arc<AtomicBool>,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send {
        async { Ok(()) }
    }

    fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>);

    /// Returns a statement with its values inserted, for sending it together with others. Returns `None` if the database runs in this process, where
    /// this saves nothing.
    #[cfg(feature = "idempotency")]
    fn inline(statement: &impl QueryStatementWriter) -> Option<String> {
        let _ = statement;
        None
    }

    /// Returns the expression of a value that is bound to a column.
    fn bound(column: &Column, value: SqlValue) -> Expr;

    /// Returns the statements that prevent the database from generating this identifier or a smaller one. Returns `None` if an insert does this
    /// itself.
    fn skip_identifiers(_table: &Table, _identifier: i64) -> Option<SkipIdentifiers> {
        None
    }

    fn contains(text: Expr, part: &str) -> Expr;

    fn ends_with(text: Expr, end: &str) -> Expr;

    /// Returns a string expression that is compared by code point.
    fn in_code_point_order(text: Expr) -> Expr;

    /// Runs a statement and returns the number of changed rows.
    fn execute(
        connection: &mut Connection<Self>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> impl Future<Output = Result<u64, sqlx::Error>> + Send;

    /// Runs a statement and returns its rows.
    fn fetch(
        connection: &mut Connection<Self>,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> impl Future<Output = Result<Vec<Row<Self>>, sqlx::Error>> + Send;

    /// Returns the value of a column by its index.
    fn cell<'r>(row: &'r Row<Self>, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error>;

    /// Returns the bytes of a column by its index.
    fn bytes(row: &Row<Self>, index: usize) -> Result<Vec<u8>, sqlx::Error>;

    /// Runs SQL without parameters. It may contain several statements.
    fn run(connection: &mut Connection<Self>, sql: Arc<str>) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Classifies an error of a statement on a table.
    fn failure_of(error: &(dyn sqlx::error::DatabaseError + 'static), table: &Table) -> FailureKind;

    /// Returns `true` if a commit failed because a deferred trigger rejected a write.
    fn is_rejection(error: &sqlx::Error) -> bool;

    /// Returns `true` if the database is read-only.
    #[must_use]
    fn is_read_only(_error: &sqlx::Error) -> bool {
        false
    }

    /// Returns the setting of the store that prevents an error.
    #[must_use]
    fn advice(_error: &sqlx::Error) -> Option<&'static str> {
        None
    }

    /// Classifies an error that does not concern a table.
    fn failure(error: &sqlx::Error) -> FailureKind;
}

pub(crate) type Connection<D> = <<D as Driver>::Database as Database>::Connection;
pub(crate) type Row<D> = <<D as Driver>::Database as Database>::Row;

/// Classifies an error that does not come from the database.
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
