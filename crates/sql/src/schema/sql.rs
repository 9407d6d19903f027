//! Builds the SQL that creates and changes a schema.

use std::fmt::Write as _;

use super::types;
use crate::dialect::{Dialect, qualified, quoted};
use crate::wanted::{ColumnKind, ColumnSchema, ForeignKey, Index, IndexColumn, TableSchema};

pub(crate) fn create_table(table: &TableSchema) -> String {
    create_table_of(table, Vec::new(), &|_, _| None)
}

/// Returns the statement that creates a table with further columns. `type_of` returns the types of columns that differ from those that the store chooses.
pub(crate) fn create_table_of(
    table: &TableSchema,
    further: Vec<String>,
    type_of: &dyn Fn(&str, ColumnKind) -> Option<String>,
) -> String {
    let declared = table.columns.iter().map(|one| match type_of(&one.name, one.kind) {
        Some(type_name) => column_of(one, &type_name),
        None => column(table.dialect, one),
    });
    let mut lines: Vec<_> = declared.chain(further).collect();
    let is_inline =
        table.columns.iter().any(|column| types::column_type(table.dialect, column.kind).contains("PRIMARY KEY"));
    if !is_inline {
        lines.push(format!("PRIMARY KEY ({})", list(&table.primary_key)));
    }
    if !table.dialect.alters_tables {
        lines.extend(table.foreign_keys.iter().map(|key| foreign_key(table.dialect, key)));
    }
    format!("CREATE TABLE {} (\n  {}\n)", qualified(table.schema.as_deref(), &table.name), lines.join(",\n  "))
}

/// Returns the SQL declaration of a column.
pub(crate) fn column(dialect: &Dialect, column: &ColumnSchema) -> String {
    column_of(column, types::column_type(dialect, column.kind))
}

fn column_of(column: &ColumnSchema, type_name: &str) -> String {
    let mut sql = format!("{} {type_name}", quoted(&column.name));
    if !column.is_nullable && column.kind != ColumnKind::Identity {
        sql.push_str(" NOT NULL");
    }
    if column.kind == ColumnKind::Version {
        // Applies to existing rows and to rows of other programs.
        sql.push_str(" DEFAULT 1");
    }
    sql
}

pub(crate) fn create_index(table: &TableSchema, index: &Index) -> String {
    create_index_collated(table, index, |_| false)
}

/// Returns the statement that creates an index. Columns that are sorted by the rules of a language are indexed by code point.
pub(crate) fn create_index_collated(
    table: &TableSchema,
    index: &Index,
    is_of_language: impl Fn(&str) -> bool,
) -> String {
    let schema = table.schema.as_deref();
    let (of_index, of_table) = if table.dialect.indexes_qualified_tables { (None, schema) } else { (schema, None) };
    let columns: Vec<_> = index
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let is_said = table.dialect.nulls_are_largest && column.is_null_first;
            // The scope columns are compared for equality only, so they keep their collation.
            let is_sorted = index.sorted_from.is_some_and(|from| place >= from);
            let collation = if is_sorted && is_of_language(&column.name) { " COLLATE \"C\"" } else { "" };
            format!("{}{collation}{}", column.key(), if is_said { " NULLS FIRST" } else { "" })
        })
        .collect();
    if index.is_of_items {
        let items = index.columns.iter().map(|column| format!("({}::jsonb) jsonb_path_ops", quoted(&column.name)));
        let (name, table) = (qualified(of_index, &index.name), qualified(of_table, &table.name));
        return format!("CREATE INDEX {name} ON {table} USING gin ({})", items.collect::<Vec<_>>().join(", "));
    }
    let mut sql = format!(
        "CREATE {}INDEX {} ON {} ({})",
        if index.is_unique { "UNIQUE " } else { "" },
        qualified(of_index, &index.name),
        qualified(of_table, &table.name),
        columns.join(", ")
    );
    if index.are_nulls_equal && table.dialect.has_equal_nulls {
        sql.push_str(" NULLS NOT DISTINCT");
    }
    if let Some(condition) = &index.condition {
        let _ = write!(sql, " WHERE {condition}");
    }
    sql
}

pub(crate) fn add_foreign_key(table: &TableSchema, key: &ForeignKey) -> String {
    format!("ALTER TABLE {} ADD {}", qualified(table.schema.as_deref(), &table.name), foreign_key(table.dialect, key))
}

fn foreign_key(dialect: &Dialect, key: &ForeignKey) -> String {
    format!("CONSTRAINT {} FOREIGN KEY ({}){}", quoted(&key.name), list(&key.columns), inline_reference(dialect, key))
}

/// Returns the `REFERENCES` clause of a foreign key. It can follow the declaration of a single column.
pub(crate) fn inline_reference(dialect: &Dialect, key: &ForeignKey) -> String {
    let schema = key.target_schema.as_deref().filter(|_| dialect.indexes_qualified_tables);
    format!(
        " REFERENCES {} ({}) ON DELETE {}",
        qualified(schema, &key.target),
        list(&key.target_columns),
        // Unlike `RESTRICT`, `NO ACTION` ignores references from rows that the same statement deletes.
        match key.is_cascade {
            true => "CASCADE",
            false if dialect.checks_before_cascades => "NO ACTION DEFERRABLE",
            false => "NO ACTION",
        }
    )
}

/// The maximum number of row identifiers in an error message.
const NAMED: usize = 5;

/// Returns the query for the identifiers of rows whose value in a column is null.
pub(crate) fn nulls(table: &TableSchema, column: &str) -> String {
    matching(table, &format!("{} IS NULL", quoted(column)))
}

/// Returns the query for the identifiers of rows that match a condition.
pub(crate) fn matching(table: &TableSchema, condition: &str) -> String {
    let identifier = types::shown(table.dialect, &quoted(table.identifier()));
    format!("SELECT {identifier} FROM {} WHERE {condition} LIMIT {NAMED}", table.qualified())
}

/// Returns the query for the identifiers of rows that would violate a unique index.
pub(crate) fn duplicates(table: &TableSchema, index: &Index) -> String {
    let name = table.qualified();
    let keys: Vec<_> = index.columns.iter().map(IndexColumn::key).collect();
    // Aliases that differ from all columns. The keys use the column names of the outer table.
    let names: Vec<_> = (0..keys.len()).map(|number| quoted(&format!("duplicate key {number}"))).collect();
    let each = |write: &dyn Fn((&String, &String)) -> String, by: &str| {
        keys.iter().zip(&names).map(write).collect::<Vec<_>>().join(by)
    };
    let set = match index.are_nulls_equal {
        true => "TRUE".to_owned(),
        false => each(&|(key, _)| format!("{key} IS NOT NULL"), " AND "),
    };
    let set = index.condition.iter().fold(set, |set, condition| format!("{set} AND {condition}"));
    let equal = if index.are_nulls_equal { "IS NOT DISTINCT FROM" } else { "=" };
    let same = each(&|(key, name)| format!("{key} {equal} same.{name}"), " AND ");
    let live = index.condition.iter().map(|condition| format!(" WHERE t.{condition}")).collect::<String>();
    let identifier = types::shown(table.dialect, &format!("t.{}", quoted(table.identifier())));
    format!(
        "SELECT {identifier} FROM {name} t JOIN (SELECT {} FROM {name} WHERE {set} GROUP BY {} HAVING count(*) > 1 LIMIT {NAMED}) \
         same ON {same}{live} ORDER BY {} LIMIT {NAMED}",
        each(&|(key, name)| format!("{key} AS {name}"), ", "),
        keys.join(", "),
        names.iter().map(|name| format!("same.{name}")).chain([identifier.clone()]).collect::<Vec<_>>().join(", ")
    )
}

/// Returns the query for the identifiers of rows that refer to a missing row.
pub(crate) fn orphans(table: &TableSchema, key: &ForeignKey) -> String {
    let pairs = key.columns.iter().zip(&key.target_columns);
    let same: Vec<_> = pairs.map(|(own, target)| format!("target.{} = t.{}", quoted(target), quoted(own))).collect();
    let target = qualified(key.target_schema.as_deref(), &key.target);
    let missing = format!(" AND NOT EXISTS (SELECT 1 FROM {target} target WHERE {})", same.join(" AND "));
    referring(table, key, &missing)
}

/// Returns the query for the identifiers of rows with a reference.
pub(crate) fn references(table: &TableSchema, key: &ForeignKey) -> String {
    referring(table, key, "")
}

fn referring(table: &TableSchema, key: &ForeignKey, condition: &str) -> String {
    let set: Vec<_> = key.columns.iter().map(|column| format!("t.{} IS NOT NULL", quoted(column))).collect();
    format!(
        "SELECT {} FROM {} t WHERE {}{condition} LIMIT {NAMED}",
        types::shown(table.dialect, &format!("t.{}", quoted(table.identifier()))),
        table.qualified(),
        set.join(" AND "),
    )
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}
