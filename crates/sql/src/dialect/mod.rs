//! Defines [`Dialect`], the SQL that differs between SQLite and PostgreSQL. Each database has a separate file.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::fmt;
use std::sync::Arc;

use sea_query::{Expr, QueryStatementWriter, Value as SqlValue};

use crate::driver::Database;

/// A statement with its bound values.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) sql: Arc<str>,
    pub(crate) values: Vec<SqlValue>,
}

/// The differences between the databases in the SQL of a store.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact about a database")]
pub(crate) struct Dialect {
    pub(crate) database: Database,
    /// The attribute `db.system.name` of spans, as specified by OpenTelemetry's semantic conventions.
    pub(crate) system: &'static str,
    /// An example of a valid URL, for error messages.
    pub(crate) example: &'static str,
    /// The statement that begins a transaction.
    pub(crate) begin: &'static str,
    /// An SQL template that appends `IS NOT TRUE` to a condition. The placeholder for the condition is `$1` or `?`.
    pub(crate) is_not_true: &'static str,
    /// `true` if the database sorts null after all values by default. Statements then need `NULLS FIRST` or `NULLS LAST`.
    pub(crate) nulls_are_largest: bool,
    /// `true` if a row comparison such as `(a, b) > (1, 2)` reads a single range of an index.
    pub(crate) compares_rows: bool,
    /// `true` if the database reads a whole partial index in place of the table whenever a statement has the condition of the index. It then
    /// finds each row separately.
    pub(crate) scans_partial_indexes: bool,
    /// `true` if the database estimates from statistics how many rows a range or a condition on related rows matches, and so starts with the
    /// smaller set. Otherwise it may read all rows in the order of a list.
    pub(crate) estimates_rows: bool,
    /// `true` if the database merges the sorted queries of a `UNION ALL`, so it reads only the rows that it returns.
    pub(crate) merges_unions: bool,
    /// `true` if the database supports lateral joins.
    pub(crate) has_lateral_joins: bool,
    /// `true` if transactions can set parameters, such as a time limit or the parameters of row-level security policies.
    pub(crate) has_parameters: bool,
    /// `true` if the database supports `SELECT` statements that lock rows. Otherwise a transaction locks the whole database.
    pub(crate) locks_rows: bool,
    /// `true` if a statement can fail because of a concurrent transaction, and a retry can succeed.
    pub(crate) has_conflicts: bool,
    /// `true` if the database reports the most recently created index when a row violates several unique indexes. The store then runs a
    /// query to find the first one.
    pub(crate) names_last_conflict: bool,
    /// `true` if the database checks foreign keys before all cascades are complete.
    pub(crate) checks_before_cascades: bool,
    /// `true` if a sequence generates the identifiers of a table. An insert with another identifier does not advance it.
    pub(crate) has_sequences: bool,
    /// A query that returns a row if the database accepts writes. `None` if no such query is needed.
    pub(crate) is_writable: Option<&'static str>,
    /// The prefix that makes a statement return its query plan instead of running.
    pub(crate) explain: &'static str,
    /// The index of the `EXPLAIN` result column that contains the query plan.
    pub(crate) plan_column: usize,
    /// `true` if `ALTER TABLE` can change columns and add foreign keys.
    pub(crate) alters_tables: bool,
    /// `true` if `CREATE INDEX` qualifies the table name with the schema. `false` if it qualifies the index name.
    ///
    /// The target of a foreign key includes the schema only if this is `true`.
    pub(crate) indexes_qualified_tables: bool,
    /// `true` if an index can find the rows whose list contains a value.
    pub(crate) indexes_items: bool,
    /// `true` if a unique index can treat null as equal to null (`NULLS NOT DISTINCT`). `false` if only an index on expressions can.
    pub(crate) has_equal_nulls: bool,
    /// The SQL after a string that compares it by code point.
    pub(crate) by_code_point: &'static str,
    /// The statement that begins a transaction of a migration, which has no time limit.
    pub(crate) begin_migration: &'static str,
    /// The type to which a bound JSON value is cast, if it must be.
    pub(crate) json_type: Option<&'static str>,
    pub(crate) contains: fn(Expr, &str) -> Expr,
    pub(crate) ends_with: fn(Expr, &str) -> Expr,
    /// Returns the condition that a JSON list contains a string, an integer or a Boolean.
    pub(crate) has: fn(Expr, serde_json::Value) -> Expr,
    /// Returns an SQL expression that sorts and compares strings by code point. Adds a collation if this is not the default.
    pub(crate) in_code_point_order: fn(Expr) -> Expr,
}

impl Dialect {
    /// Returns the dialect of a database.
    pub(crate) fn of(database: Database) -> &'static Self {
        match database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite => &sqlite::DIALECT,
            #[cfg(feature = "postgres")]
            Database::Postgres => &postgres::DIALECT,
        }
    }

    /// Returns the name of the database product, such as `SQLite`.
    pub(crate) fn name(&self) -> &'static str {
        self.database.name()
    }

    /// Returns the SQL of a statement and its bound values.
    pub(crate) fn build(&self, statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>) {
        match self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite => sqlite::build(statement),
            #[cfg(feature = "postgres")]
            Database::Postgres => postgres::build(statement),
        }
    }

    /// Returns the SQL of a statement with literal values, so several statements can be sent in one round trip. Returns `None` if the
    /// database runs in this process.
    #[cfg(feature = "idempotency")]
    pub(crate) fn inline(&self, statement: &impl QueryStatementWriter) -> Option<String> {
        match self.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite => None,
            #[cfg(feature = "postgres")]
            Database::Postgres => Some(statement.to_string(sea_query::PostgresQueryBuilder)),
        }
    }
}

/// There is one dialect of each database.
impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.database == other.database
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Dialect({})", self.name())
    }
}

/// Returns an SQL name in double quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a quoted SQL name, which includes the schema if there is one.
pub(crate) fn qualified(schema: Option<&str>, name: &str) -> String {
    match schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
        None => quoted(name),
    }
}
