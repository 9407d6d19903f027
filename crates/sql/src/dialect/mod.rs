//! Defines [`Dialect`], the trait for the differences between SQLite and PostgreSQL. Each database has a separate file.

mod advice;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_failure;
#[cfg(feature = "postgres")]
mod postgres_url;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_url;

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
use crate::operations::Operations;
use crate::schema::SchemaDialect;
use crate::settings::StoreSettings;
use crate::statements::Bound;
use crate::table::{Column, Table};

/// Statements that advance the identifier sequence past an inserted identifier.
#[derive(Debug)]
pub struct SkipIdentifiers {
    /// A query that returns a row if the sequence is still below the inserted identifier.
    pub(crate) is_needed: Bound,
    pub(crate) sql: Arc<str>,
}

/// A supported SQL database, which is [`Sqlite`] or [`Postgres`].
///
/// Other crates cannot implement this trait.
pub trait Dialect: Driver {}

impl<D: Driver> Dialect for D {}

/// Provides the types, SQL and functions that differ between SQLite and PostgreSQL. The trait is sealed: the crate does not export it.
pub trait Driver:
    SchemaDialect<Raw = <Self::Database as Database>::Connection> + Clone + Debug + Send + Sync + 'static
{
    /// The database type of sqlx.
    type Database: Database<Connection: Sync>;

    /// The connection options of sqlx.
    type Options: Clone + Debug + Send + Sync + 'static;

    /// The name of the database product for messages and component names, such as `SQLite`.
    const NAME: &'static str;

    /// The attribute `db.system.name` of spans, as specified by OpenTelemetry's semantic conventions.
    const SYSTEM: &'static str;

    /// An example of a valid URL, for error messages.
    const EXAMPLE: &'static str;

    /// The statement that begins a transaction.
    const BEGIN: &'static str;

    /// An SQL template that appends `IS NOT TRUE` to a condition. The placeholder for the condition is `$1` or `?`.
    const IS_NOT_TRUE: &'static str;

    /// `true` if the database sorts null after all values by default. Statements then need `NULLS FIRST` or `NULLS LAST`.
    const NULLS_ARE_LARGEST: bool;

    /// `true` if a row comparison such as `(a, b) > (1, 2)` reads a single range of an index.
    const COMPARES_ROWS: bool;

    /// `true` if the database reads a whole partial index in place of the table whenever a statement has the condition of the index. It then
    /// finds each row separately.
    const SCANS_PARTIAL_INDEXES: bool;

    /// `true` if the database estimates from statistics how many rows a range or a condition on related rows matches, and so starts with the
    /// smaller set. Otherwise it may read all rows in the order of a list.
    const ESTIMATES_ROWS: bool;

    /// `true` if the database merges the sorted queries of a `UNION ALL`, so it reads only the rows that it returns.
    const MERGES_UNIONS: bool;

    /// `true` if the database supports lateral joins.
    const HAS_LATERAL_JOINS: bool;

    /// `true` if transactions can set parameters for row-level security policies.
    const HAS_PARAMETERS: bool;

    /// `true` if the database supports `SELECT` statements that lock rows.
    const LOCKS_ROWS: bool;

    /// `true` if a statement can fail because of a concurrent transaction, and a retry can succeed.
    const HAS_CONFLICTS: bool;

    /// `true` if the database reports the most recently created index when a row violates several unique indexes. The store then runs a
    /// query to find the first one.
    const NAMES_LAST_CONFLICT: bool;

    /// `true` if the database checks foreign keys before all cascades are complete.
    const CHECKS_BEFORE_CASCADES: bool;

    /// A query that returns a row if the database accepts writes. `None` if no such query is needed.
    const IS_WRITABLE: Option<&'static str>;

    /// The prefix that makes a statement return its query plan instead of running.
    const EXPLAIN: &'static str;

    /// The index of the `EXPLAIN` result column that contains the query plan.
    const PLAN_COLUMN: usize;

    /// `true` if each worker has a separate connection pool.
    const IS_PER_WORKER: bool;

    /// Returns the operations of a store. Its implementations must not be inlined: the crate that contains their code also contains the code of
    /// the operations.
    fn operations() -> &'static dyn Operations<Self>;

    /// Parses a URL into connection options.
    fn options(url: &str, settings: &StoreSettings) -> Result<Self::Options, String>;

    /// Returns the names of the parameters of a URL and of the environment that have no effect.
    #[must_use]
    fn ignored(_: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns `true` if the options describe an in-memory database. Its data is lost when its connection closes.
    fn is_in_memory(options: &Self::Options) -> bool;

    /// Returns the address of the database without credentials, for error messages.
    fn address(options: &Self::Options) -> String;

    /// Returns connection options that create a missing database, or `None` if connecting cannot create a database.
    #[must_use]
    fn creating(_: &Self::Options) -> Option<Self::Options> {
        None
    }

    /// Returns `true` if the database file was deleted. Open connections would still write to the deleted file.
    #[must_use]
    fn is_lost(_: &Self::Options) -> bool {
        false
    }

    fn pool(options: &Self::Options, pool: PoolOptions<Self::Database>) -> sqlx::Pool<Self::Database>;

    fn connect(
        options: &Self::Options,
        settings: &StoreSettings,
    ) -> impl Future<Output = Result<Connection<Self>, sqlx::Error>> + Send;

    /// Makes a connection cancel its statements while `is_cancelled` is `true`. On PostgreSQL this does nothing: the server cancels a
    /// statement when its connection closes.
    fn cancel_by(
        _connection: &mut Connection<Self>,
        _is_cancelled: Arc<AtomicBool>,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send {
        async { Ok(()) }
    }

    fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>);

    /// Returns the SQL of a statement with literal values, so several statements can be sent in one round trip. Returns `None` if the
    /// database runs in this process.
    #[cfg(feature = "idempotency")]
    fn inline(statement: &impl QueryStatementWriter) -> Option<String> {
        let _ = statement;
        None
    }

    /// Returns the SQL expression for a bound value. It contains a cast to the type of the column if necessary.
    fn bound(column: &Column, value: SqlValue) -> Expr;

    /// Returns the statements that advance the identifier sequence past `identifier`, or `None` if inserts advance it automatically.
    fn skip_identifiers(_table: &Table, _identifier: i64) -> Option<SkipIdentifiers> {
        None
    }

    fn contains(text: Expr, part: &str) -> Expr;

    fn ends_with(text: Expr, end: &str) -> Expr;

    /// Returns the condition that a JSON list contains a string, an integer or a Boolean.
    fn has(list: Expr, item: serde_json::Value) -> Expr;

    /// Returns an SQL expression that sorts and compares the strings in `text` by code point. Adds a collation if this is not the default.
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
    ) -> impl Future<Output = Result<Vec<DriverRow<Self>>, sqlx::Error>> + Send;

    /// Returns the value in the column `index` of a row.
    fn cell<'r>(row: &'r DriverRow<Self>, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error>;

    /// Returns the bytes in the column `index` of a row.
    fn bytes(row: &DriverRow<Self>, index: usize) -> Result<Vec<u8>, sqlx::Error>;

    /// Runs SQL without parameters. It may contain several statements.
    fn run(connection: &mut Connection<Self>, sql: Arc<str>) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Classifies a database error that a statement on a table caused.
    fn failure_of(error: &(dyn sqlx::error::DatabaseError + 'static), table: &Table) -> FailureKind;

    /// Classifies an error of a commit, which deferred constraints and triggers may cause.
    fn failure_of_commit(error: &sqlx::Error) -> FailureKind {
        Self::failure(error)
    }

    /// Returns `true` if a statement failed because the database is read-only.
    #[must_use]
    fn is_read_only(_error: &sqlx::Error) -> bool {
        false
    }

    /// Returns advice on which setting of the store to change, for an error message. Returns `None` if no setting helps.
    #[must_use]
    fn advice(_error: &sqlx::Error) -> Option<&'static str> {
        None
    }

    /// Classifies an error that is not tied to a table, such as a lost connection.
    fn failure(error: &sqlx::Error) -> FailureKind;
}

pub(crate) type Connection<D> = <<D as Driver>::Database as Database>::Connection;
pub(crate) type DriverRow<D> = <<D as Driver>::Database as Database>::Row;

/// Classifies an sqlx error that the database did not report, such as a lost connection.
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
