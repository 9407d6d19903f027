//! Implements [`Driver`] for SQLite.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::civil::Date;
use restwright_list::ValueType;
use sea_query::prepare::SqlWriter;
use sea_query::{Expr, ExprTrait, Func, QueryBuilder, QueryStatementWriter, SqliteQueryBuilder, Value as SqlValue};
use sqlx::error::DatabaseError;
use sqlx::pool::PoolOptions;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow, SqliteSynchronous,
};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Decode, Row, TypeInfo, ValueRef};
use uuid::Uuid;

use super::Driver;
use super::advice::{self, SQLITE_BUSY, SQLITE_CANTOPEN, SQLITE_READONLY};
use super::sqlite_url::sqlite_url;
use crate::cell::Cell;
use crate::failure_kind::{FailureKind, message};
use crate::operations::{Compiled, Operations};
use crate::settings::StoreSettings;
use crate::sortable_decimal;
use crate::table::{Column, Table};
use crate::value::text_uuid;

/// The dialect of SQLite databases, in a file or in memory.
///
/// SQLite stores dates as strings such as `2024-02-29`, date-times as microseconds since 1970, UUIDs as 16 bytes, and decimals as sortable strings.
#[derive(Clone, Copy, Debug)]
pub struct Sqlite;

/// The number of SQLite virtual machine steps between two checks for cancellation. These steps take less than 1 ms.
const STEPS: i32 = 1_000;

impl Driver for Sqlite {
    type Database = sqlx::Sqlite;
    type Options = SqliteConnectOptions;

    const NAME: &'static str = "SQLite";
    const SYSTEM: &'static str = "sqlite";
    const EXAMPLE: &'static str = "sqlite://animals.db";
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const IS_NOT_TRUE: &'static str = "(?) IS NOT TRUE";
    const EXPLAIN: &'static str = "EXPLAIN QUERY PLAN";
    const PLAN_COLUMN: usize = 3;
    const NULLS_ARE_LARGEST: bool = false;
    const COMPARES_ROWS: bool = false;
    const ESTIMATES_ROWS: bool = false;
    const SCANS_PARTIAL_INDEXES: bool = true;
    const MERGES_UNIONS: bool = true;
    const HAS_LATERAL_JOINS: bool = false;
    const HAS_PARAMETERS: bool = false;
    const LOCKS_ROWS: bool = false;
    // SQLite has one writer.
    const HAS_CONFLICTS: bool = false;
    const NAMES_LAST_CONFLICT: bool = true;
    const CHECKS_BEFORE_CASCADES: bool = false;
    const IS_WRITABLE: Option<&'static str> = None;
    const IS_PER_WORKER: bool = false;

    #[inline(never)]
    fn operations() -> &'static dyn Operations<Self> {
        &Compiled
    }

    fn options(url: &str, settings: &StoreSettings) -> Result<SqliteConnectOptions, String> {
        let url = sqlite_url(url)?;
        let options = SqliteConnectOptions::from_str(&url).map_err(|error| message(&error))?;
        let options = options
            // Only the start creates the file. If the file disappears later, a new one would be empty.
            .create_if_missing(false)
            .foreign_keys(true)
            .busy_timeout(settings.wait)
            .synchronous(SqliteSynchronous::Full)
            .disable_statement_logging();
        // A database in memory does not support the write-ahead log.
        Ok(if Self::is_in_memory(&options) { options } else { options.journal_mode(SqliteJournalMode::Wal) })
    }

    fn is_in_memory(options: &SqliteConnectOptions) -> bool {
        let name = options.get_filename().to_string_lossy();
        name.contains(":memory:") || name.contains("sqlx-in-memory") || name.is_empty()
    }

    fn address(options: &SqliteConnectOptions) -> String {
        format!("`{}`", options.get_filename().display())
    }

    fn advice(error: &sqlx::Error) -> Option<&'static str> {
        advice::for_sqlite(error)
    }

    fn creating(options: &SqliteConnectOptions) -> Option<SqliteConnectOptions> {
        (!Self::is_in_memory(options)).then(|| options.clone().create_if_missing(true))
    }

    fn is_lost(options: &SqliteConnectOptions) -> bool {
        // After the file is deleted, open connections would continue to write to it.
        matches!(options.get_filename().try_exists(), Ok(false))
    }

    fn pool(options: &SqliteConnectOptions, pool: PoolOptions<sqlx::Sqlite>) -> sqlx::Pool<sqlx::Sqlite> {
        // Each connection has its own thread, so it does not end with a worker.
        pool.idle_timeout(None).max_lifetime(None).connect_lazy_with(options.clone())
    }

    async fn connect(options: &SqliteConnectOptions, _: &StoreSettings) -> Result<SqliteConnection, sqlx::Error> {
        Box::pin(options.connect()).await
    }

    async fn cancel_by(connection: &mut SqliteConnection, is_cancelled: Arc<AtomicBool>) -> Result<(), sqlx::Error> {
        let goes_on = move || !is_cancelled.load(Ordering::Relaxed);
        connection.lock_handle().await?.set_progress_handler(STEPS, goes_on);
        Ok(())
    }

    fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>) {
        let mut written = Written::default();
        statement.build_collect_into(SqliteQueryBuilder, &mut written);
        (written.sql, written.values)
    }

    fn bound(_: &Column, value: SqlValue) -> Expr {
        Expr::val(value)
    }

    fn contains(text: Expr, part: &str) -> Expr {
        Expr::from(Func::cust("instr").arg(text).arg(part)).gt(0)
    }

    fn ends_with(text: Expr, end: &str) -> Expr {
        let length = i64::try_from(end.chars().count()).unwrap_or(i64::MAX);
        Expr::from(Func::cust("substr").arg(text).arg(-length)).eq(end)
    }

    fn has(list: Expr, item: serde_json::Value) -> Expr {
        // The name in the inner query cannot be the name of a column of `json_each`.
        const SQL: &str = "EXISTS (SELECT 1 FROM (SELECT ? AS \"has_list\") AS \"list\", json_each(\"list\".\"has_list\") AS \"item\" \
                           WHERE json_type(\"list\".\"has_list\") = 'array' AND \"item\".\"value\" = ? AND \"item\".\"type\" = ?)";
        let (item, kind) = match item {
            serde_json::Value::Bool(flag) => (SqlValue::from(flag), if flag { "true" } else { "false" }),
            serde_json::Value::Number(number) => (SqlValue::BigInt(number.as_i64()), "integer"),
            other => (SqlValue::String(other.as_str().map(str::to_owned)), "text"),
        };
        Expr::cust_with_exprs(SQL, [list, Expr::val(item), Expr::val(kind)])
    }

    fn in_code_point_order(text: Expr) -> Expr {
        text
    }

    async fn execute(
        connection: &mut SqliteConnection,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<u64, sqlx::Error> {
        let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
        Ok(Box::pin(statement.execute(connection)).await?.rows_affected())
    }

    async fn fetch(
        connection: &mut SqliteConnection,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<Vec<SqliteRow>, sqlx::Error> {
        // Reads all rows, because sqlx reports an error of the commit only at the end.
        let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
        Box::pin(statement.fetch_all(connection)).await
    }

    fn cell<'r>(row: &'r SqliteRow, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error> {
        let value = row.try_get_raw(index)?;
        if value.is_null() {
            return Ok(Cell::Null);
        }
        let stored = match value.type_info().name() {
            "INTEGER" => "INTEGER",
            "REAL" => "REAL",
            "TEXT" => "TEXT",
            _ => "BLOB",
        };
        let invalid = |source| sqlx::Error::ColumnDecode { index: index.to_string(), source };
        let unreadable = || invalid(format!("a value of the type {stored} is not a {}", value_type.name()).into());
        // SQLite would convert the value, such as a word to 0.
        let is_of_type = match value_type {
            ValueType::Integer | ValueType::Boolean | ValueType::DateTime => stored == "INTEGER",
            ValueType::Number | ValueType::Float => matches!(stored, "INTEGER" | "REAL"),
            ValueType::Uuid => matches!(stored, "TEXT" | "BLOB"),
            _ => stored == "TEXT",
        };
        if !is_of_type {
            return Err(unreadable());
        }
        let cell = match value_type {
            ValueType::Integer => Cell::Integer(<i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
            ValueType::Number | ValueType::Float => {
                let number = <f64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
                Cell::number(number, value_type).map_err(|reason| invalid(reason.into()))?
            }
            ValueType::Boolean => match <i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)? {
                number @ (0 | 1) => Cell::Boolean(number == 1),
                _ => return Err(invalid("a Boolean must be 0 or 1".into())),
            },
            ValueType::DateTime => {
                let microseconds = <i64 as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
                Cell::date_time(microseconds).map_err(|reason| invalid(reason.into()))?
            }
            ValueType::Date => {
                let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
                let date: Date = text.parse().map_err(|_source: jiff::Error| unreadable())?;
                // Filters would not find a date in another form.
                if date.to_string() != text {
                    return Err(unreadable());
                }
                Cell::date(date).map_err(|reason| invalid(reason.into()))?
            }
            ValueType::Uuid if stored == "TEXT" => {
                let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
                Cell::Uuid(text_uuid(text).ok_or_else(|| invalid("the UUID is not in lower case with hyphens".into()))?)
            }
            ValueType::Uuid => Cell::Uuid(<Uuid as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
            ValueType::Decimal => {
                let text = <&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?;
                let decimal = sortable_decimal::read(text);
                Cell::Decimal(decimal.ok_or_else(|| invalid("the decimal is not in the sortable form".into()))?)
            }
            ValueType::Json => Cell::Json(<&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
            _ => Cell::Text(<&str as Decode<'_, sqlx::Sqlite>>::decode(value).map_err(invalid)?),
        };
        Ok(cell)
    }

    fn bytes(row: &SqliteRow, index: usize) -> Result<Vec<u8>, sqlx::Error> {
        row.try_get(index)
    }

    async fn run(connection: &mut SqliteConnection, sql: Arc<str>) -> Result<(), sqlx::Error> {
        Box::pin(sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection)).await.map(drop)
    }

    fn failure_of(error: &(dyn DatabaseError + 'static), table: &Table) -> FailureKind {
        // In `UNIQUE constraint failed: animals.shelter, animals.name`, the field is the last column that is not a scope.
        let column = || {
            let names = error.message().rsplit(", ").filter_map(|name| Some(name.rsplit_once('.')?.1));
            let is_field = |name: &&str| table.scope_columns().all(|column| column.name != **name);
            names.clone().find(is_field).or_else(|| names.clone().next()).map(str::to_owned)
        };
        match code(error) {
            Some(1555 | 2067 | 2579) => FailureKind::Unique(unique_columns(error.message(), table)),
            Some(787) => FailureKind::Reference { column: None, table: None },
            Some(1299) => FailureKind::Value(column()),
            Some(275) => {
                let check = error.message().strip_prefix("CHECK constraint failed: ").unwrap_or_default();
                FailureKind::Rejected(table.column_of_check(check))
            }
            // `RAISE(ABORT, ..)` in a trigger, or a value of the wrong type in a strict table.
            Some(1811 | 3091) => FailureKind::Rejected(None),
            _ => primary(error),
        }
    }

    fn is_read_only(error: &sqlx::Error) -> bool {
        error.as_database_error().and_then(code).is_some_and(|code| code & 0xFF == SQLITE_READONLY)
    }

    fn failure(error: &sqlx::Error) -> FailureKind {
        match error {
            sqlx::Error::Database(error) => primary(error.as_ref()),
            other => super::failure(other),
        }
    }
}

/// Returns the columns in a message such as `UNIQUE constraint failed: animals.shelter, animals.name`, without the scope. Returns nothing for
/// another table and for an index on an expression.
fn unique_columns(message: &str, table: &Table) -> Vec<String> {
    let names = message.strip_prefix("UNIQUE constraint failed: ").unwrap_or_default().split(", ");
    let columns = names.map(|name| {
        let (of, column) = name.split_at_checked(table.name.len())?;
        let column = column.strip_prefix('.').filter(|_| of.eq_ignore_ascii_case(&table.name))?;
        Some(column.to_owned())
    });
    let columns: Option<Vec<_>> = columns.collect();
    let is_field = |name: &String| table.scope_columns().all(|column| column.name != *name);
    columns.unwrap_or_default().into_iter().filter(is_field).collect()
}

fn code(error: &(dyn DatabaseError + 'static)) -> Option<i32> {
    error.code()?.parse().ok()
}

/// Classifies an error by its primary SQLite result code. `Unavailable` includes busy, locked, out of memory, interrupted, I/O error, full
/// and cannot open.
fn primary(error: &(dyn DatabaseError + 'static)) -> FailureKind {
    match code(error).map(|code| code & 0xFF) {
        Some(SQLITE_BUSY | 6 | 7 | 9 | 10 | 13 | SQLITE_CANTOPEN) => FailureKind::Unavailable,
        _ => FailureKind::Other,
    }
}

fn arguments(values: Vec<SqlValue>) -> Result<SqliteArguments, sqlx::Error> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        let added = match value {
            SqlValue::Bool(value) => arguments.add(value),
            SqlValue::TinyInt(value) => arguments.add(value),
            SqlValue::SmallInt(value) => arguments.add(value),
            SqlValue::Int(value) => arguments.add(value),
            SqlValue::BigInt(value) => arguments.add(value),
            SqlValue::TinyUnsigned(value) => arguments.add(value),
            SqlValue::SmallUnsigned(value) => arguments.add(value),
            SqlValue::Unsigned(value) => arguments.add(value),
            SqlValue::BigUnsigned(value) => match value.map(i64::try_from).transpose() {
                Ok(value) => arguments.add(value),
                Err(error) => Err(error.into()),
            },
            SqlValue::Float(value) => arguments.add(value),
            SqlValue::Double(value) => arguments.add(value),
            SqlValue::String(value) => arguments.add(value),
            SqlValue::Char(value) => arguments.add(value.map(String::from)),
            SqlValue::Bytes(value) => arguments.add(value),
            SqlValue::Uuid(value) => arguments.add(value),
            SqlValue::Decimal(value) => arguments.add(value.map(sortable_decimal::write)),
            SqlValue::ChronoDate(value) => arguments.add(value.map(|date| date.to_string())),
            SqlValue::ChronoDateTimeUtc(value) => arguments.add(value.map(|moment| moment.timestamp_micros())),
            other => Err(format!("the value {other:?} cannot be stored in SQLite").into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}

/// Collects the SQL and the bound values of a statement. A limit is a literal in the SQL, because SQLite replans a statement each time its
/// limit is bound.
#[derive(Default)]
struct Written {
    sql: String,
    values: Vec<SqlValue>,
}

impl fmt::Write for Written {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.sql.write_str(text)
    }
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sql)
    }
}

impl SqlWriter for Written {
    fn push_param<T: QueryBuilder>(&mut self, value: SqlValue, builder: &T) {
        match value {
            SqlValue::BigUnsigned(Some(limit)) if self.sql.ends_with(" LIMIT ") => {
                self.sql.push_str(&limit.to_string());
            }
            value => {
                self.sql.push_str(builder.placeholder().0);
                self.values.push(value);
            }
        }
    }

    fn as_writer(&mut self) -> &mut dyn fmt::Write {
        self
    }
}
