//! The dialect of PostgreSQL and of databases with the same protocol.

use sea_query::{Expr, ExprTrait, Func, PostgresQueryBuilder, QueryStatementWriter, Value as SqlValue};

use super::Dialect;
use crate::driver::Database;

pub(super) static DIALECT: Dialect = Dialect {
    database: Database::Postgres,
    system: "postgresql",
    example: "postgres://user:password@localhost/animals",
    begin: "BEGIN ISOLATION LEVEL REPEATABLE READ",
    is_not_true: "($1) IS NOT TRUE",
    explain: "EXPLAIN",
    plan_column: 0,
    nulls_are_largest: true,
    compares_rows: true,
    estimates_rows: true,
    scans_partial_indexes: false,
    merges_unions: false,
    has_lateral_joins: true,
    has_parameters: true,
    locks_rows: true,
    has_conflicts: true,
    names_last_conflict: false,
    checks_before_cascades: true,
    has_sequences: true,
    is_writable: Some("SELECT 1 WHERE NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'"),
    alters_tables: true,
    indexes_qualified_tables: true,
    indexes_items: true,
    has_equal_nulls: true,
    by_code_point: " COLLATE \"C\"",
    // `REPEATABLE READ` would hide the changes that another process committed while this one waited for the lock.
    begin_migration: "BEGIN; SET LOCAL statement_timeout = 0",
    json_type: Some("json"),
    contains,
    ends_with,
    has,
    in_code_point_order,
};

pub(super) fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>) {
    let (sql, values) = statement.build(PostgresQueryBuilder);
    (sql, values.0)
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
