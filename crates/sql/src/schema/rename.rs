//! Renames the columns of renamed fields. Without a rename, a migration would add a new, empty column.

use std::iter::zip;
use std::sync::Arc;

use restwright_core::runtime::log;

use super::difference::{Difference, Repair};
use super::found_table::FoundTable;
use super::{Schema, sql};
use crate::dialect::{qualified, quoted};
use crate::store::Shared;
use crate::table::Table;
use crate::wanted::{ColumnKind, Index, TableSchema};

/// Returns the renames that the database does not contain yet. Also applies them to `found`.
pub(super) fn renamings(shared: &Shared, schema: &Schema, found: &mut [Option<FoundTable>]) -> Vec<Difference> {
    let former = former_schemas(shared, schema, found);
    let mut all = Vec::new();
    for (place, former) in former.iter().enumerate() {
        let Some((_, wanted)) = schema.tables.get(place) else { continue };
        let mut renaming = Renaming { table: wanted, all: Vec::new() };
        let mut columns = Vec::new();
        if let Some(found) = found.get_mut(place).and_then(Option::as_mut) {
            columns = renaming.columns(former, found);
            renaming.indexes(former, found);
            renaming.foreign_keys(former, found);
        }
        for referring in found.iter_mut().flatten() {
            referring.rename_targets(&wanted.name, &columns);
        }
        all.append(&mut renaming.all);
    }
    all
}

/// Logs a warning for each table that gets new columns and also contains columns without a field. Such a column may belong to a renamed
/// field.
pub(super) fn warn_of_unused_columns(schema: &Schema, found: &[Option<FoundTable>]) {
    for (wanted, found) in zip(schema.table_schemas(), found) {
        let Some(found) = found else { continue };
        let added = wanted.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Value(_)));
        let added: Vec<_> = added.filter(|column| found.column(&column.name).is_none()).collect();
        let unused = unused_columns(wanted, found);
        if added.is_empty() || unused.is_empty() {
            continue;
        }
        let added: Vec<_> = added.into_iter().map(|column| format!("`{}`", column.name)).collect();
        let (table, added) = (wanted.shown(), added.join(", "));
        log(|| {
            tracing::warn!(
                table,
                added,
                unused,
                "the migration adds empty columns to the table `{table}`: {added}; no field uses its columns {unused}. If a field was \
                 renamed, drop the new column and declare `renamed_from` on the field"
            );
        });
    }
}

/// Returns the names of all columns without a field, separated by commas. Returns an empty string if every column has a field.
pub(super) fn unused_columns(wanted: &TableSchema, found: &FoundTable) -> String {
    let is_used = |name: &str| wanted.columns.iter().any(|column| column.name == name);
    let unused = found.columns.iter().filter(|column| !is_used(&column.name));
    unused.map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ")
}

/// Returns the table schemas with the former names of all columns that are not renamed yet.
fn former_schemas(shared: &Shared, schema: &Schema, found: &[Option<FoundTable>]) -> Vec<TableSchema> {
    let tables = zip(&schema.tables, found);
    let tables = tables.map(|((table, _), found)| Arc::new(former_table(shared, table, found.as_ref())));
    let tables: Vec<_> = tables.collect();
    // Errors in references were recorded with the current names.
    tables.iter().map(|table| TableSchema::new(table, &tables, &mut Vec::new())).collect()
}

fn former_table(shared: &Shared, table: &Table, found: Option<&FoundTable>) -> Table {
    let mut mapping = shared.mapping(table.definition.name());
    let Some(found) = found else { return Table::new(table.dialect, &table.definition, &mapping) };
    let mut renamed: Vec<String> = Vec::new();
    for column in &table.columns {
        let Some(former) = column.field.former_name().map(|former| mapping.column_of(former)) else { continue };
        if found.column(&former).is_some() && found.column(&column.name).is_none() && !renamed.contains(&former) {
            mapping = mapping.column(column.field.name().to_owned(), &*former);
            renamed.push(former);
        }
    }
    // A new field may have the former name of another field. Its column does not exist yet.
    let is_new = |name: &String| renamed.contains(name);
    for column in table.columns.iter().filter(|column| is_new(&column.name)) {
        if mapping.column_of(column.field.name()) == column.name {
            mapping = mapping.column(column.field.name().to_owned(), format!("new {}", column.name));
        }
    }
    Table::new(table.dialect, &table.definition, &mapping)
}

struct Renaming<'t> {
    table: &'t TableSchema,
    all: Vec<Difference>,
}

impl Renaming<'_> {
    fn add(&mut self, what: &str, sql: String) {
        let message = format!("the table `{}` {what}", self.table.shown());
        self.all.push(Difference { message, repair: Repair::Rename, sql, index: None, obstacles: Vec::new() });
    }

    /// Renames columns, and returns the former and the new name of each renamed column.
    fn columns(&mut self, former: &TableSchema, found: &mut FoundTable) -> Vec<(String, String)> {
        let table = self.table;
        let mut renamed = Vec::new();
        for (former, column) in zip(&former.columns, &table.columns) {
            let (from, to) = (&former.name, &column.name);
            if from == to || found.column(from).is_none() || found.column(to).is_some() {
                continue;
            }
            let sql = format!("ALTER TABLE {} RENAME COLUMN {} TO {}", table.qualified(), quoted(from), quoted(to));
            self.add(&format!("has the column `{from}`, whose name is now `{to}`"), sql);
            found.rename_column(from, to);
            renamed.push((from.clone(), to.clone()));
        }
        renamed
    }

    /// Renames the indexes that are named after renamed columns, because new fields may need the former names.
    fn indexes(&mut self, former: &TableSchema, found: &mut FoundTable) {
        let table = self.table;
        for (former, index) in renamed(&former.indexes, &table.indexes, |index| &index.name) {
            let is_taken = found.indexes.iter().any(|found| found.name == index.name);
            let Some(place) = found.indexes.iter_mut().find(|found| found.name == former.name && !is_taken) else {
                continue;
            };
            place.name.clone_from(&index.name);
            let what = format!("has the index `{}`, whose name is now `{}`", former.name, index.name);
            self.add(&what, rename_index(table, &former.name, index));
        }
    }

    fn foreign_keys(&mut self, former: &TableSchema, found: &mut FoundTable) {
        let table = self.table;
        for (former, key) in renamed(&former.foreign_keys, &table.foreign_keys, |key| &key.name) {
            let is_former = |name: &Option<String>| name.as_ref() == Some(&former.name);
            let Some(place) = found.foreign_keys.iter_mut().find(|found| is_former(&found.name)) else { continue };
            place.name = Some(key.name.clone());
            let (from, to) = (quoted(&former.name), quoted(&key.name));
            let what = format!("has the foreign key `{}`, whose name is now `{}`", former.name, key.name);
            self.add(&what, format!("ALTER TABLE {} RENAME CONSTRAINT {from} TO {to}", table.qualified()));
        }
    }
}

/// Pairs each former item with the wanted item at the same position, and returns the pairs with different names. Both lists have the same
/// order, because both come from one definition.
fn renamed<'t, T>(
    former: &'t [T],
    wanted: &'t [T],
    name: impl Fn(&T) -> &String,
) -> impl Iterator<Item = (&'t T, &'t T)> {
    let is_same = former.len() == wanted.len();
    zip(former, wanted).filter(move |(former, wanted)| is_same && name(former) != name(wanted))
}

/// Returns the SQL that renames an index. SQLite cannot rename an index, so the SQL drops the index and creates a new one.
fn rename_index(table: &TableSchema, former: &str, index: &Index) -> String {
    let former = qualified(table.schema.as_deref(), former);
    if table.dialect.alters_tables {
        return format!("ALTER INDEX {former} RENAME TO {}", quoted(&index.name));
    }
    format!("DROP INDEX {former};\n{}", sql::create_index(table, index))
}
