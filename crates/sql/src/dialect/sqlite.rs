//! The dialect of SQLite.

use std::fmt;

use sea_query::prepare::SqlWriter;
use sea_query::{Expr, ExprTrait, Func, QueryBuilder, QueryStatementWriter, SqliteQueryBuilder, Value as SqlValue};

use super::Dialect;
use crate::driver::Database;

pub(super) static DIALECT: Dialect = Dialect {
    database: Database::Sqlite,
    system: "sqlite",
    example: "sqlite://animals.db",
    begin: "BEGIN IMMEDIATE",
    is_not_true: "(?) IS NOT TRUE",
    explain: "EXPLAIN QUERY PLAN",
    plan_column: 3,
    nulls_are_largest: false,
    compares_rows: false,
    estimates_rows: false,
    scans_partial_indexes: true,
    merges_unions: true,
    has_lateral_joins: false,
    has_parameters: false,
    locks_rows: false,
    // SQLite has one writer.
    has_conflicts: false,
    names_last_conflict: true,
    checks_before_cascades: false,
    has_sequences: false,
    is_writable: None,
    alters_tables: false,
    indexes_qualified_tables: false,
    indexes_items: false,
    has_equal_nulls: false,
    by_code_point: "",
    begin_migration: "BEGIN IMMEDIATE",
    json_type: None,
    contains,
    ends_with,
    has,
    in_code_point_order: |text| text,
};

pub(super) fn build(statement: &impl QueryStatementWriter) -> (String, Vec<SqlValue>) {
    let mut written = Written::default();
    statement.build_collect_into(SqliteQueryBuilder, &mut written);
    (written.sql, written.values)
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
