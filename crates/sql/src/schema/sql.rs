//! The statements that create a schema.

use std::fmt::Write as _;

use super::table_schema::{ColumnKind, ColumnSchema, ForeignKey, Index, TableSchema};
use crate::dialect::Dialect;

/// That in which the schemas of databases differ.
pub trait SchemaDialect {
    /// The connection as sqlx has it.
    #[doc(hidden)]
    type Raw;

    /// A foreign key is added to a table that exists already.
    #[doc(hidden)]
    const ADDS_FOREIGN_KEYS: bool;

    /// The schema is named before the table of an index and before the target of a reference; otherwise before the index.
    #[doc(hidden)]
    const INDEXES_QUALIFIED_TABLES: bool;

    /// The statement that begins a migration.
    #[doc(hidden)]
    const BEGIN_MIGRATION: &'static str;

    #[doc(hidden)]
    fn column_type(kind: ColumnKind) -> &'static str;

    /// Waits until no other process migrates; until the end of the transaction.
    #[doc(hidden)]
    fn lock_schema(connection: &mut Self::Raw) -> impl Future<Output = Result<(), sqlx::Error>> + Send;

    /// Returns `true` if a transaction did not begin because another one writes.
    #[doc(hidden)]
    fn is_locked(error: &sqlx::Error) -> bool;

    #[doc(hidden)]
    fn has_table(
        connection: &mut Self::Raw,
        schema: Option<&str>,
        name: &str,
    ) -> impl Future<Output = Result<bool, sqlx::Error>> + Send;
}

/// Returns a name in quotes.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a name behind its schema.
pub(crate) fn qualified(schema: Option<&str>, name: &str) -> String {
    match schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
        None => quoted(name),
    }
}

pub(crate) fn create_table<D: Dialect>(table: &TableSchema) -> String {
    let mut lines: Vec<_> = table.columns.iter().map(column::<D>).collect();
    let is_inline = table.columns.iter().any(|column| D::column_type(column.kind).contains("PRIMARY KEY"));
    if !is_inline {
        lines.push(format!("PRIMARY KEY ({})", list(&table.primary_key)));
    }
    if !D::ADDS_FOREIGN_KEYS {
        lines.extend(table.foreign_keys.iter().map(foreign_key::<D>));
    }
    format!("CREATE TABLE {} (\n  {}\n)", qualified(table.schema.as_deref(), &table.name), lines.join(",\n  "))
}

/// Returns the declaration of a column.
pub(crate) fn column<D: Dialect>(column: &ColumnSchema) -> String {
    let mut sql = format!("{} {}", quoted(&column.name), D::column_type(column.kind));
    if !column.is_nullable && column.kind != ColumnKind::Identity {
        sql.push_str(" NOT NULL");
    }
    if column.kind == ColumnKind::Version {
        // For the rows that are there already, and those of other writers.
        sql.push_str(" DEFAULT 1");
    }
    sql
}

pub(crate) fn create_index<D: Dialect>(table: &TableSchema, index: &Index) -> String {
    let schema = table.schema.as_deref();
    let (of_index, of_table) = if D::INDEXES_QUALIFIED_TABLES { (None, schema) } else { (schema, None) };
    let columns: Vec<_> = index
        .columns
        .iter()
        .map(|column| {
            let is_said = D::NULLS_ARE_LARGEST && column.is_null_first;
            format!("{}{}", quoted(&column.name), if is_said { " NULLS FIRST" } else { "" })
        })
        .collect();
    let mut sql = format!(
        "CREATE {}INDEX {} ON {} ({})",
        if index.is_unique { "UNIQUE " } else { "" },
        qualified(of_index, &index.name),
        qualified(of_table, &table.name),
        columns.join(", ")
    );
    if let Some(condition) = &index.condition {
        let _ = write!(sql, " WHERE {condition}");
    }
    sql
}

pub(crate) fn add_foreign_key<D: Dialect>(table: &TableSchema, key: &ForeignKey) -> String {
    format!("ALTER TABLE {} ADD {}", qualified(table.schema.as_deref(), &table.name), foreign_key::<D>(key))
}

fn foreign_key<D: Dialect>(key: &ForeignKey) -> String {
    let schema = key.target_schema.as_deref().filter(|_| D::INDEXES_QUALIFIED_TABLES);
    format!(
        "CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}) ON DELETE {}",
        quoted(&key.name),
        list(&key.columns),
        qualified(schema, &key.target),
        list(&key.target_columns),
        // What a cascade deletes in the same statement does not hold a row, unlike with `RESTRICT`.
        if key.is_cascade { "CASCADE" } else { "NO ACTION" }
    )
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}
