//! The schema of SQLite.

use restwright_list::ValueType;

use sqlx::sqlite::SqliteConnection;
use sqlx::AssertSqlSafe;

use super::sql::qualified;
use super::{ColumnKind, SchemaDialect};
use crate::dialect::Sqlite;

impl SchemaDialect for Sqlite {
    type Raw = SqliteConnection;

    const ADDS_FOREIGN_KEYS: bool = false;
    const INDEXES_QUALIFIED_TABLES: bool = false;

    const BEGIN_MIGRATION: &'static str = "BEGIN IMMEDIATE";

    async fn lock_schema(_: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        // The transaction is the only one that writes.
        Ok(())
    }

    fn is_locked(error: &sqlx::Error) -> bool {
        // SQLITE_BUSY.
        let code = error.as_database_error().and_then(|error| error.code()?.parse::<i32>().ok());
        code.is_some_and(|code| code & 0xFF == 5)
    }

    async fn has_table(
        connection: &mut SqliteConnection,
        schema: Option<&str>,
        name: &str,
    ) -> Result<bool, sqlx::Error> {
        let sql = format!("SELECT 1 FROM {} WHERE name = ?", qualified(schema, "sqlite_master"));
        let row = sqlx::query(AssertSqlSafe(sql)).bind(name).fetch_optional(connection).await?;
        Ok(row.is_some())
    }

    fn column_type(kind: ColumnKind) -> &'static str {
        match kind {
            // Without `AUTOINCREMENT` the identifier of the last row is given again after it was deleted.
            ColumnKind::Identity => "INTEGER PRIMARY KEY AUTOINCREMENT",
            ColumnKind::Version => "BIGINT",
            ColumnKind::Folding => "INTEGER",
            ColumnKind::Fold => "TEXT",
            ColumnKind::Bytes => "BLOB",
            ColumnKind::Value(value_type) => match value_type {
                ValueType::Integer | ValueType::DateTime => "BIGINT",
                ValueType::Number | ValueType::Float => "REAL",
                ValueType::Boolean => "BOOLEAN",
                ValueType::Uuid => "BLOB",
                _ => "TEXT",
            },
        }
    }
}
