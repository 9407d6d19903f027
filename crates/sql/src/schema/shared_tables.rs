//! Tables that several entity definitions share, such as two versions of a resource.

use std::sync::Arc;

use super::Schema;
use crate::table::Table;
use crate::wanted::{ColumnKind, TableSchema};

impl Schema {
    /// Returns the table that a migration creates for the table schema at `place`, with the columns, indexes and keys of all definitions that share
    /// the table. Returns `None` if an earlier table schema has the same table.
    pub(super) fn created(&self, place: usize) -> Option<TableSchema> {
        let mut all = self.table_schemas().skip(place);
        let mut created = all.next()?.clone();
        if self.table_schemas().take(place).any(|earlier| is_same(earlier, &created)) {
            return None;
        }
        for other in all {
            if is_same(other, &created) {
                merge(&mut created.columns, &other.columns, |column| &column.name);
                merge(&mut created.indexes, &other.indexes, |index| &index.name);
                merge(&mut created.foreign_keys, &other.foreign_keys, |key| &key.name);
                merge(&mut created.kept_references, &other.kept_references, |key| &key.name);
            }
        }
        Some(created)
    }
}

fn is_same(one: &TableSchema, other: &TableSchema) -> bool {
    (&one.schema, &one.name) == (&other.schema, &other.name)
}

/// Appends the items of `others` whose name is new.
fn merge<T: Clone>(all: &mut Vec<T>, others: &[T], name: impl Fn(&T) -> &str) {
    for other in others {
        if all.iter().all(|one| name(one) != name(other)) {
            all.push(other.clone());
        }
    }
}

/// Reports definitions that share a table although the writes of one would break the other. With `migrates`, the store creates the columns.
pub(super) fn check(tables: &[(Arc<Table>, TableSchema)], migrates: bool, mistakes: &mut Vec<String>) {
    for (table, schema) in tables {
        for (other, other_schema) in tables {
            let is_other = table.definition.name() != other.definition.name() && is_same(schema, other_schema);
            if is_other {
                check_pair((table, schema), (other, other_schema), migrates, mistakes);
            }
        }
    }
}

/// Reports what the definition of `other` does not write although the definition of `table` needs it.
fn check_pair(
    (table, schema): (&Table, &TableSchema),
    (other, other_schema): (&Table, &TableSchema),
    migrates: bool,
    mistakes: &mut Vec<String>,
) {
    let (name, other_name) = (table.definition.name(), other.definition.name());
    let mut push = |mistake: String| {
        mistakes.push(format!("`{name}` and `{other_name}` share the table `{}`, but {mistake}", schema.shown()));
    };
    for column in &table.columns {
        let fold = |table: &Table| {
            table.columns.iter().find(|one| one.name == column.name).map(|one| one.fold().map(str::to_owned))
        };
        if column.fold().is_some() && fold(other) == Some(None) {
            push(format!(
                "only `{name}` searches in the column `{}`, so a write of `{other_name}` would leave the copy for the search unchanged; declare \
                 `filter(contains)` in both, or call `TableMapping::ascii_search` for both",
                column.name
            ));
        }
    }
    let is_missing = |name: &str| other_schema.columns.iter().all(|column| column.name != name);
    if let Some(version) = table.version.as_ref().filter(|version| is_missing(&version.name)) {
        push(format!(
            "only `{name}` has the version column `{}`, so a write of `{other_name}` would not change the version; map both to the same \
             version column",
            version.name
        ));
    }
    let is_required = |kind: ColumnKind, is_nullable: bool| matches!(kind, ColumnKind::Value(_)) && !is_nullable;
    for column in schema.columns.iter().filter(|column| is_required(column.kind, column.is_nullable)) {
        if migrates && is_missing(&column.name) {
            push(format!(
                "only `{name}` has the column `{}`, which is required, so `{other_name}` could not insert rows; make the field optional",
                column.name
            ));
        }
    }
}
