//! Records in a table what the store has found in the database.

use std::collections::BTreeMap;

use super::found_table::{FoundIndex, FoundTable};
use super::rules::rules;
use super::types;
use crate::table::Table;
use crate::wanted::TableSchema;

impl Table {
    /// Records the column encodings and the constraint names that were found in the database.
    pub(super) fn adopt(&self, wanted: &TableSchema, found: &FoundTable) {
        for column in &self.columns {
            let kind = wanted.columns.iter().find(|wanted| wanted.name == column.name).map(|wanted| wanted.kind);
            let encoding = kind
                .zip(found.column(&column.name))
                .and_then(|(kind, found)| types::accepts(self.dialect, kind, found));
            // Another start has already recorded the same value.
            let _ = column.encoding.set(encoding.unwrap_or_default());
        }
        let mut constraints = self.undeclared(wanted, found);
        let mut note = |name: Option<&String>, columns: &[&str]| {
            let columns: Vec<_> = columns.iter().map(|column| (*column).to_owned()).collect();
            constraints.extend(name.map(|name| (name.clone(), columns)));
        };
        for (constraint, columns) in self.unique_columns() {
            let within: Vec<_> =
                self.scope_columns().chain(columns.clone()).map(|column| column.name.clone()).collect();
            let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
            note(found.unique(&within, constraint.are_nulls_equal()).map(|index| &index.name), &names);
        }
        note(found.unique(&wanted.primary_key, false).map(|index| &index.name), &[&self.identifier().name]);
        for key in &wanted.foreign_keys {
            if let Some(column) = key.columns.last() {
                note(found.foreign_key(key).and_then(|key| key.name.as_ref()), &[column]);
            }
        }
        let _ = self.constraints.set(constraints);
        let _ = self.rules.set(rules(self, found));
    }
}

impl Table {
    /// Returns the columns of each unique index of the database, without the scope columns. An index with an expression has no columns. Leaves
    /// out indexes with a declared name, whose columns the definition contains.
    fn undeclared(&self, wanted: &TableSchema, found: &FoundTable) -> BTreeMap<String, Vec<String>> {
        let is_undeclared =
            |index: &&FoundIndex| index.is_unique && wanted.indexes.iter().all(|declared| declared.name != index.name);
        let indexes = found.indexes.iter().filter(is_undeclared).map(|index| {
            let names: Option<Vec<_>> = index.columns.iter().map(|column| column.name.clone()).collect();
            let is_field = |name: &String| self.scope_columns().all(|column| column.name != *name);
            (index.name.clone(), names.unwrap_or_default().into_iter().filter(is_field).collect())
        });
        indexes.collect()
    }
}
