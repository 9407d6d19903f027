//! Implements [`Driver`] for PostgreSQL and for databases with the same protocol.

use std::sync::Arc;

use jiff::Span;
use jiff::civil::{Date, date};
use restwright_core::auth::Identity;
use restwright_list::ValueType;
use sea_query::{Alias, Expr, ExprTrait, Func, PostgresQueryBuilder, QueryStatementWriter, Value as SqlValue};
use sqlx::error::{BoxDynError, DatabaseError};
use sqlx::pool::PoolOptions;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgRow, PgValueFormat, PgValueRef};
use sqlx::{Arguments, AssertSqlSafe, ConnectOptions, Row, TypeInfo, ValueRef};
use uuid::Uuid;

use super::{Driver, SkipIdentifiers, advice, postgres_failure, postgres_url};
use crate::cell::Cell;
use crate::failure_kind::FailureKind;
use crate::numeric;
use crate::operations::{Compiled, Operations};
use crate::per_transaction::CallerParameters;
use crate::schema::qualified;
use crate::settings::{IDLE_TRANSACTION, StoreSettings};
use crate::statements::Bound;
use crate::table::{Column, Table};
use crate::value::text_uuid;

/// The epoch of PostgreSQL, 2000-01-01, in microseconds since 1970.
const EPOCH: i64 = 946_684_800_000_000;

/// The epoch of PostgreSQL, as a date.
const EPOCH_DAY: Date = date(2000, 1, 1);

/// The dialect of PostgreSQL and of databases with the same protocol.
#[derive(Clone, Copy, Debug)]
pub struct Postgres;

impl Driver for Postgres {
    type Database = sqlx::Postgres;
    type Options = PgConnectOptions;

    const NAME: &'static str = "PostgreSQL";
    const SYSTEM: &'static str = "postgresql";
    const EXAMPLE: &'static str = "postgres://user:password@localhost/animals";
    const BEGIN: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ";
    const IS_NOT_TRUE: &'static str = "($1) IS NOT TRUE";
    const EXPLAIN: &'static str = "EXPLAIN";
    const PLAN_COLUMN: usize = 0;
    const NULLS_ARE_LARGEST: bool = true;
    const COMPARES_ROWS: bool = true;
    const ESTIMATES_ROWS: bool = true;
    const SCANS_PARTIAL_INDEXES: bool = false;
    const MERGES_UNIONS: bool = false;
    const HAS_LATERAL_JOINS: bool = true;
    const HAS_PARAMETERS: bool = true;
    const LOCKS_ROWS: bool = true;
    const HAS_CONFLICTS: bool = true;
    const NAMES_LAST_CONFLICT: bool = false;
    const CHECKS_BEFORE_CASCADES: bool = true;
    const IS_WRITABLE: Option<&'static str> =
        Some("SELECT 1 WHERE NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'");
    const IS_PER_WORKER: bool = true;

    #[inline(never)]
    fn operations() -> &'static dyn Operations<Self> {
        &Compiled
    }

    fn options(url: &str, settings: &StoreSettings) -> Result<PgConnectOptions, String> {
        let options = postgres_url::options(url)?.disable_statement_logging();
        if settings.is_pooled {
            return Ok(options.statement_cache_capacity(0).extra_float_digits(None));
        }
        let timeout = settings.statement_timeout.as_millis().to_string();
        let idle = IDLE_TRANSACTION.as_millis().to_string();
        Ok(options.options([("statement_timeout", timeout), ("idle_in_transaction_session_timeout", idle)]))
    }

    fn ignored(url: &str) -> Vec<String> {
        postgres_url::ignored(url)
    }

    fn is_in_memory(_: &PgConnectOptions) -> bool {
        false
    }

    fn address(options: &PgConnectOptions) -> String {
        match options.get_socket() {
            Some(folder) => format!("`{}`, port {}", folder.display(), options.get_port()),
            None => format!("`{}:{}`", options.get_host(), options.get_port()),
        }
    }

    fn pool(options: &PgConnectOptions, pool: PoolOptions<sqlx::Postgres>) -> sqlx::Pool<sqlx::Postgres> {
        pool.connect_lazy_with(options.clone())
    }

    async fn connect(options: &PgConnectOptions, _: &StoreSettings) -> Result<PgConnection, sqlx::Error> {
        Box::pin(options.connect()).await
    }

    fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>) {
        let (sql, values) = statement.build(PostgresQueryBuilder);
        (sql, values.0)
    }

    #[cfg(feature = "idempotency")]
    fn inline(statement: &impl QueryStatementWriter) -> Option<String> {
        Some(statement.to_string(PostgresQueryBuilder))
    }

    /// Returns the statements that advance the identifier sequence past `identifier`. They lock the table, because `setval` would otherwise
    /// undo a concurrent `nextval`.
    fn skip_identifiers(table: &Table, identifier: i64) -> Option<SkipIdentifiers> {
        let name = qualified(table.schema.as_deref(), &table.name);
        let column = &table.identifier().name;
        let is_needed = "SELECT 1 FROM (SELECT pg_get_serial_sequence($1, $2)::regclass AS own) AS sequence \
                         WHERE own IS NOT NULL AND coalesce(pg_sequence_last_value(own), 0) < $3";
        let values = vec![name.clone().into(), column.clone().into(), identifier.into()];
        let (name_text, column_text) = (name.replace('\'', "''"), column.replace('\'', "''"));
        let sql = format!(
            "DO $skip$ DECLARE own regclass := pg_get_serial_sequence('{name_text}', '{column_text}'); BEGIN \
             LOCK TABLE {name} IN SHARE ROW EXCLUSIVE MODE; \
             IF coalesce(pg_sequence_last_value(own), 0) < {identifier} THEN PERFORM setval(own, {identifier}); END IF; END $skip$"
        );
        Some(SkipIdentifiers { is_needed: Bound { sql: is_needed.into(), values }, sql: sql.into() })
    }

    fn bound(column: &Column, value: SqlValue) -> Expr {
        if column.is_json() { Expr::val(value).cast_as(Alias::new("json")) } else { Expr::val(value) }
    }

    fn contains(text: Expr, part: &str) -> Expr {
        Expr::from(Func::cust("strpos").arg(text).arg(part)).gt(0)
    }

    fn ends_with(text: Expr, end: &str) -> Expr {
        let length = i32::try_from(end.chars().count()).unwrap_or(i32::MAX);
        Expr::from(Func::cust("right").arg(text).arg(length)).eq(end)
    }

    fn has(list: Expr, item: serde_json::Value) -> Expr {
        // The index on the items has the same expression.
        let items = serde_json::Value::Array(vec![item]).to_string();
        Expr::cust_with_exprs("($1)::jsonb @> ($2)::jsonb", [list, Expr::val(items)])
    }

    fn in_code_point_order(text: Expr) -> Expr {
        Expr::cust_with_expr("($1) COLLATE \"C\"", text)
    }

    async fn execute(
        connection: &mut PgConnection,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<u64, sqlx::Error> {
        let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
        Ok(Box::pin(statement.execute(connection)).await?.rows_affected())
    }

    async fn fetch(
        connection: &mut PgConnection,
        sql: Arc<str>,
        values: Vec<SqlValue>,
        is_kept: bool,
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        let statement = sqlx::query_with(AssertSqlSafe(sql), arguments(values)?).persistent(is_kept);
        Box::pin(statement.fetch_all(connection)).await
    }

    fn cell<'r>(row: &'r PgRow, index: usize, value_type: ValueType) -> Result<Cell<'r>, sqlx::Error> {
        let value = row.try_get_raw(index)?;
        if value.is_null() {
            return Ok(Cell::Null);
        }
        read(&value, value_type).map_err(|source| sqlx::Error::ColumnDecode { index: index.to_string(), source })
    }

    fn bytes(row: &PgRow, index: usize) -> Result<Vec<u8>, sqlx::Error> {
        row.try_get(index)
    }

    async fn run(connection: &mut PgConnection, sql: Arc<str>) -> Result<(), sqlx::Error> {
        Box::pin(sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection)).await.map(drop)
    }

    fn failure_of(error: &(dyn DatabaseError + 'static), table: &Table) -> FailureKind {
        postgres_failure::failure_of(error, table)
    }

    fn failure_of_commit(error: &sqlx::Error) -> FailureKind {
        postgres_failure::failure_of_commit(error)
    }

    fn advice(error: &sqlx::Error) -> Option<&'static str> {
        advice::for_postgres(error)
    }

    fn failure(error: &sqlx::Error) -> FailureKind {
        match error {
            sqlx::Error::Database(error) => postgres_failure::meaning(error.as_ref()),
            other => super::failure(other),
        }
    }
}

impl crate::store::DatabaseStore<Postgres> {
    /// Sets the isolation level of transactions to `SERIALIZABLE` instead of `REPEATABLE READ`. Transactions then behave as if they ran one
    /// after another, but the store retries more of them.
    #[must_use]
    pub fn serializable(self) -> Self {
        self.set(|plan| plan.settings.is_serializable = true)
    }

    /// Sets caller-dependent PostgreSQL parameters in each transaction, like `SET LOCAL`. Row-level security policies read them with
    /// `current_setting`. The guide on databases has an example.
    ///
    /// Every statement of a request then runs in a transaction that starts with these parameters. A statement without a caller fails. Outside of
    /// endpoints, use the store that [`Store::for_caller`](restwright_resource::Store::for_caller) returns.
    ///
    /// ```
    /// use restwright_sql::PostgresStore;
    ///
    /// let store = PostgresStore::new("postgres://shelter@localhost/shelter")
    ///     .per_transaction(|caller| [("app.user_id", caller.subject().unwrap_or_default().to_owned())]);
    /// ```
    #[must_use]
    pub fn per_transaction<P>(self, parameters: impl Fn(&Identity) -> P + Send + Sync + 'static) -> Self
    where
        P: IntoIterator<Item = (&'static str, String)>,
    {
        self.with_caller_parameters(CallerParameters::new(parameters))
    }

    /// Adapts the store to a transaction pooler, such as PgBouncer with `pool_mode = transaction`. The store then uses no prepared
    /// statements. It runs every statement in a transaction, and sets the time limits in each transaction.
    #[must_use]
    pub fn transaction_pooler(self) -> Self {
        self.set(|plan| plan.settings.is_pooled = true)
    }
}

fn read<'r>(value: &PgValueRef<'r>, value_type: ValueType) -> Result<Cell<'r>, BoxDynError> {
    if value.format() != PgValueFormat::Binary {
        return Err("the value must be in the binary format".into());
    }
    let bytes = value.as_bytes()?;
    let text = || std::str::from_utf8(bytes).map_err(BoxDynError::from);
    let type_info = value.type_info();
    let name = type_info.name();
    // Another migration may have changed the type of the column since the start.
    let is_of_type = match value_type {
        ValueType::Integer => matches!(name, "INT2" | "INT4" | "INT8"),
        ValueType::Number | ValueType::Float => matches!(name, "FLOAT4" | "FLOAT8"),
        ValueType::Boolean => name == "BOOL",
        ValueType::DateTime => matches!(name, "TIMESTAMP" | "TIMESTAMPTZ"),
        ValueType::Date => name == "DATE",
        ValueType::Decimal => name == "NUMERIC",
        _ => !matches!(
            name,
            "INT2"
                | "INT4"
                | "INT8"
                | "FLOAT4"
                | "FLOAT8"
                | "BOOL"
                | "TIMESTAMP"
                | "TIMESTAMPTZ"
                | "DATE"
                | "BYTEA"
                | "NUMERIC"
        ),
    };
    if !is_of_type {
        return Err(format!("a value of the type {name} is not a {}", value_type.name()).into());
    }
    Ok(match value_type {
        ValueType::Integer => Cell::Integer(integer(bytes)?),
        ValueType::Number | ValueType::Float => {
            let number = match *bytes {
                [a, b, c, d] => f64::from(f32::from_be_bytes([a, b, c, d])),
                _ => f64::from_be_bytes(bytes.try_into()?),
            };
            Cell::number(number, value_type)?
        }
        ValueType::Boolean => Cell::Boolean(bytes.first().is_some_and(|byte| *byte != 0)),
        // `infinity` is the largest integer, and `-infinity` the smallest.
        ValueType::DateTime => Cell::date_time(integer(bytes)?.saturating_add(EPOCH))?,
        ValueType::Date => {
            let days = Span::new().try_days(integer(bytes)?);
            let date = days.and_then(|days| EPOCH_DAY.checked_add(days));
            Cell::date(date.map_err(|_source| "a date must be from 0000-01-01 to 9999-12-31")?)?
        }
        ValueType::Uuid if bytes.len() == 16 => Cell::Uuid(Uuid::from_slice(bytes)?),
        ValueType::Uuid => Cell::Uuid(text_uuid(text()?).ok_or("the UUID is not in lower case with hyphens")?),
        ValueType::Decimal => Cell::Decimal(numeric::read(bytes)?),
        // `jsonb` starts with its format version.
        ValueType::Json => match bytes {
            [1, ..] if name == "JSONB" => Cell::Json(std::str::from_utf8(bytes.get(1..).unwrap_or_default())?),
            _ => Cell::Json(text()?),
        },
        _ => Cell::Text(text()?),
    })
}

/// Decodes an integer of 16, 32 or 64 bits.
fn integer(bytes: &[u8]) -> Result<i64, BoxDynError> {
    Ok(match *bytes {
        [a, b] => i64::from(i16::from_be_bytes([a, b])),
        [a, b, c, d] => i64::from(i32::from_be_bytes([a, b, c, d])),
        _ => i64::from_be_bytes(bytes.try_into()?),
    })
}

fn arguments(values: Vec<SqlValue>) -> Result<PgArguments, sqlx::Error> {
    let mut arguments = PgArguments::default();
    for value in values {
        let added = match value {
            SqlValue::Bool(value) => arguments.add(value),
            SqlValue::TinyInt(value) => arguments.add(value.map(i16::from)),
            SqlValue::SmallInt(value) => arguments.add(value),
            SqlValue::Int(value) => arguments.add(value),
            SqlValue::BigInt(value) => arguments.add(value),
            SqlValue::TinyUnsigned(value) => arguments.add(value.map(i16::from)),
            SqlValue::SmallUnsigned(value) => arguments.add(value.map(i32::from)),
            SqlValue::Unsigned(value) => arguments.add(value.map(i64::from)),
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
            SqlValue::Decimal(value) => arguments.add(value),
            SqlValue::ChronoDate(value) => arguments.add(value),
            SqlValue::ChronoDateTimeUtc(value) => arguments.add(value),
            SqlValue::ChronoDateTime(value) => arguments.add(value),
            other => Err(format!("the value {other:?} cannot be sent to PostgreSQL").into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
