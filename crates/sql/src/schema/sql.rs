//! Builds the SQL that creates and changes a schema.

use std::fmt::Write as _;

use restwright_core::ComponentError;
use restwright_list::ValueType;

use super::encoding::Encoding;
use super::found_table::{ColumnLimit, FoundColumn, FoundTable};
use super::indexes::{Index, IndexColumn};
use super::table_schema::{ColumnKind, ColumnSchema, ForeignKey, TableSchema};
use crate::dialect::Dialect;
use crate::store::DatabaseStore;

/// Provides the schema statements and queries that differ between SQLite and PostgreSQL.
pub trait SchemaDialect {
    /// The connection type of sqlx.
    type Raw;

    /// `true` if `ALTER TABLE` can change columns and add foreign keys.
    const ALTERS_TABLES: bool;

    /// `true` if `CREATE INDEX` qualifies the table name with the schema. `false` if it qualifies the index name.
    ///
    /// The target of a foreign key includes the schema only if this is `true`.
    const INDEXES_QUALIFIED_TABLES: bool;

    /// `true` if an index can find the rows whose list contains a value.
    const INDEXES_ITEMS: bool;

    /// `true` if a unique index can treat null as equal to null (`NULLS NOT DISTINCT`). `false` if only an index on expressions can.
    const HAS_EQUAL_NULLS: bool;

    /// The SQL after a string that compares it by code point.
    const BY_CODE_POINT: &'static str;

    /// The statement that begins a transaction of a migration, which has no time limit.
    const BEGIN_MIGRATION: &'static str;

    /// The statement that begins a transaction for comparing the tables with the entity definitions.
    const BEGIN_CHECK: &'static str;

    fn column_type(kind: ColumnKind) -> &'static str;

    /// Adds the missing tables, columns and indexes of a store. Waits for the migrations of other processes.
    fn migrate(store: &DatabaseStore<Self>) -> impl Future<Output = Result<(), ComponentError>> + Send
    where
        Self: Dialect;

    /// Returns `true` if a transaction failed to begin because another transaction is writing.
    fn is_locked(error: &sqlx::Error) -> bool;

    /// Returns the reason why a store cannot use the database, for example because it cannot contain all strings. With `must_write`, the
    /// database must also accept writes.
    fn unsuitable(
        connection: &mut Self::Raw,
        must_write: bool,
    ) -> impl Future<Output = Result<Option<String>, sqlx::Error>> + Send;

    /// Reads the columns, indexes and constraints of a table. Returns `None` if the table does not exist.
    fn find_table(
        connection: &mut Self::Raw,
        schema: Option<&str>,
        name: &str,
    ) -> impl Future<Output = Result<Option<FoundTable>, sqlx::Error>> + Send;

    /// Returns the index with this name, or `None` if the index does not exist.
    fn find_index(
        connection: &mut Self::Raw,
        schema: Option<&str>,
        name: &str,
    ) -> impl Future<Output = Result<Option<NamedIndex>, sqlx::Error>> + Send;

    /// Returns the statement that renames or drops an index, so its name becomes free.
    fn free_index(schema: Option<&str>, name: &str) -> String;

    /// Returns the encoding of values in an existing column. Returns `None` if the column cannot store all values or compares them differently.
    fn accepts(kind: ColumnKind, found: &FoundColumn) -> Option<Encoding>;

    /// Returns the limit of an existing column, if its type is narrower than the type that the store would choose.
    fn limit(found: &FoundColumn) -> Option<ColumnLimit>;

    /// Returns an SQL expression that converts the values of an existing column to the required type.
    fn conversion(kind: ColumnKind, found: &FoundColumn) -> String;

    /// Returns an SQL expression that formats the values of a column as strings.
    fn shown(column: &str) -> String;

    /// Returns an SQL literal that can serve as the default of a new column.
    fn example(value_type: ValueType) -> &'static str;

    /// Returns the SQL type of a column for error messages, without key constraints.
    fn plain_type(kind: ColumnKind) -> &'static str {
        match kind {
            ColumnKind::Identity => Self::column_type(ColumnKind::Version),
            kind => Self::column_type(kind),
        }
    }
}

/// An index that was found by its name.
#[derive(Debug)]
pub struct NamedIndex {
    /// The name of the table that the index belongs to.
    pub(crate) table: String,
    /// `false` if `CREATE INDEX CONCURRENTLY` did not finish. Queries do not use such an index.
    pub(crate) is_valid: bool,
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

pub(crate) fn create_table<D: Dialect>(table: &TableSchema) -> String {
    create_table_with::<D>(table, Vec::new())
}

fn create_table_with<D: Dialect>(table: &TableSchema, further: Vec<String>) -> String {
    let mut lines: Vec<_> = table.columns.iter().map(column::<D>).chain(further).collect();
    let is_inline = table.columns.iter().any(|column| D::column_type(column.kind).contains("PRIMARY KEY"));
    if !is_inline {
        lines.push(format!("PRIMARY KEY ({})", list(&table.primary_key)));
    }
    if !D::ALTERS_TABLES {
        lines.extend(table.foreign_keys.iter().map(foreign_key::<D>));
    }
    format!("CREATE TABLE {} (\n  {}\n)", qualified(table.schema.as_deref(), &table.name), lines.join(",\n  "))
}

/// Returns the SQL declaration of a column.
pub(crate) fn column<D: Dialect>(column: &ColumnSchema) -> String {
    let mut sql = format!("{} {}", quoted(&column.name), D::column_type(column.kind));
    if !column.is_nullable && column.kind != ColumnKind::Identity {
        sql.push_str(" NOT NULL");
    }
    if column.kind == ColumnKind::Version {
        // Applies to existing rows and to rows of other programs.
        sql.push_str(" DEFAULT 1");
    }
    sql
}

pub(crate) fn create_index<D: Dialect>(table: &TableSchema, index: &Index) -> String {
    create_index_collated::<D>(table, index, |_| false)
}

/// Returns the statement that creates an index. Columns that are sorted by the rules of a language are indexed by code point.
pub(crate) fn create_index_collated<D: Dialect>(
    table: &TableSchema,
    index: &Index,
    is_of_language: impl Fn(&str) -> bool,
) -> String {
    let schema = table.schema.as_deref();
    let (of_index, of_table) = if D::INDEXES_QUALIFIED_TABLES { (None, schema) } else { (schema, None) };
    let columns: Vec<_> = index
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let is_said = D::NULLS_ARE_LARGEST && column.is_null_first;
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
    if index.are_nulls_equal && D::HAS_EQUAL_NULLS {
        sql.push_str(" NULLS NOT DISTINCT");
    }
    if let Some(condition) = &index.condition {
        let _ = write!(sql, " WHERE {condition}");
    }
    sql
}

pub(crate) fn add_foreign_key<D: Dialect>(table: &TableSchema, key: &ForeignKey) -> String {
    format!("ALTER TABLE {} ADD {}", qualified(table.schema.as_deref(), &table.name), foreign_key::<D>(key))
}

fn foreign_key<D: Dialect>(key: &ForeignKey) -> String {
    format!("CONSTRAINT {} FOREIGN KEY ({}){}", quoted(&key.name), list(&key.columns), inline_reference::<D>(key))
}

/// Returns the `REFERENCES` clause of a foreign key. It can follow the declaration of a single column.
pub(crate) fn inline_reference<D: Dialect>(key: &ForeignKey) -> String {
    let schema = key.target_schema.as_deref().filter(|_| D::INDEXES_QUALIFIED_TABLES);
    format!(
        " REFERENCES {} ({}) ON DELETE {}",
        qualified(schema, &key.target),
        list(&key.target_columns),
        // Unlike `RESTRICT`, `NO ACTION` ignores references from rows that the same statement deletes.
        match key.is_cascade {
            true => "CASCADE",
            false if D::CHECKS_BEFORE_CASCADES => "NO ACTION DEFERRABLE",
            false => "NO ACTION",
        }
    )
}

/// The maximum number of row identifiers in an error message.
const NAMED: usize = 5;

/// Returns the query for the identifiers of rows whose value in a column is null.
pub(crate) fn nulls<D: Dialect>(table: &TableSchema, column: &str) -> String {
    let (column, identifier) = (quoted(column), D::shown(&quoted(table.identifier())));
    format!("SELECT {identifier} FROM {} WHERE {column} IS NULL LIMIT {NAMED}", table.qualified())
}

/// Returns the query for the identifiers of rows that would violate a unique index.
pub(crate) fn duplicates<D: Dialect>(table: &TableSchema, index: &Index) -> String {
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
    let identifier = D::shown(&format!("t.{}", quoted(table.identifier())));
    format!(
        "SELECT {identifier} FROM {name} t JOIN (SELECT {} FROM {name} WHERE {set} GROUP BY {} HAVING count(*) > 1 LIMIT {NAMED}) \
         same ON {same}{live} ORDER BY {} LIMIT {NAMED}",
        each(&|(key, name)| format!("{key} AS {name}"), ", "),
        keys.join(", "),
        names.iter().map(|name| format!("same.{name}")).chain([identifier.clone()]).collect::<Vec<_>>().join(", ")
    )
}

/// Returns the query for the identifiers of rows that refer to a missing row.
pub(crate) fn orphans<D: Dialect>(table: &TableSchema, key: &ForeignKey) -> String {
    let pairs = key.columns.iter().zip(&key.target_columns);
    let same: Vec<_> = pairs.map(|(own, target)| format!("target.{} = t.{}", quoted(target), quoted(own))).collect();
    let target = qualified(key.target_schema.as_deref(), &key.target);
    let missing = format!(" AND NOT EXISTS (SELECT 1 FROM {target} target WHERE {})", same.join(" AND "));
    referring::<D>(table, key, &missing)
}

/// Returns the query for the identifiers of rows with a reference.
pub(crate) fn references<D: Dialect>(table: &TableSchema, key: &ForeignKey) -> String {
    referring::<D>(table, key, "")
}

fn referring<D: Dialect>(table: &TableSchema, key: &ForeignKey, condition: &str) -> String {
    let set: Vec<_> = key.columns.iter().map(|column| format!("t.{} IS NOT NULL", quoted(column))).collect();
    format!(
        "SELECT {} FROM {} t WHERE {}{condition} LIMIT {NAMED}",
        D::shown(&format!("t.{}", quoted(table.identifier()))),
        table.qualified(),
        set.join(" AND "),
    )
}

/// Returns the statements that replace a table with a new table. The new table keeps all rows and all columns, also the columns without a
/// field.
pub(crate) fn rebuild<D: Dialect>(table: &TableSchema, found: &FoundTable) -> String {
    let schema = table.schema.as_deref();
    let next = TableSchema { name: format!("{}_next", table.name), ..table.clone() };
    let further = found.columns.iter().filter(|column| table.columns.iter().all(|own| own.name != column.name));
    let further: Vec<_> = further.collect();
    let declared = further.iter().map(|column| {
        let default = column.default.as_ref().map(|default| format!(" DEFAULT {default}")).unwrap_or_default();
        let is_set = !column.is_nullable && column.default.is_some();
        format!("{} {}{}{default}", quoted(&column.name), column.type_name, if is_set { " NOT NULL" } else { "" })
    });
    let create = create_table_with::<D>(&next, declared.collect());
    let mut copied: Vec<_> = further.iter().map(|column| (quoted(&column.name), quoted(&column.name))).collect();
    for column in &table.columns {
        let name = quoted(&column.name);
        match (found.column(&column.name), column.kind) {
            (Some(found), kind) => copied.push((name, D::conversion(kind, found))),
            (None, ColumnKind::Value(value_type)) if !column.is_nullable => {
                copied.push((name, D::example(value_type).to_owned()));
            }
            (None, _) => {}
        }
    }
    let (to, from): (Vec<_>, Vec<_>) = copied.into_iter().unzip();
    let mut statements = vec![
        // References are bound to the name of the table, so they remain valid when the new table gets the name.
        "PRAGMA foreign_keys = OFF".to_owned(),
        "BEGIN".to_owned(),
        create,
        format!(
            "INSERT INTO {} ({}) SELECT {} FROM {}",
            next.qualified(),
            to.join(", "),
            from.join(", "),
            table.qualified()
        ),
        format!("DROP TABLE {}", table.qualified()),
        format!("ALTER TABLE {} RENAME TO {}", qualified(schema, &next.name), quoted(&table.name)),
    ];
    statements.extend(table.indexes.iter().map(|index| create_index::<D>(table, index)));
    statements.extend(["COMMIT".to_owned(), "PRAGMA foreign_keys = ON".to_owned()]);
    statements.join(";\n")
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}
