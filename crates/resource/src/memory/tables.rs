//! Defines [`Tables`], the committed entities of a store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_list::Value;

use super::changes::Changes;
use crate::definition::{EntityDefinition, OnDelete};
use crate::entity::Version;
use crate::row::Row;
use crate::store::StoreError;

/// The values that identify an entity in its table, or the values of a unique constraint.
pub(super) type Key = Vec<Value<'static>>;

/// The tables with the committed entities of a store.
#[derive(Default)]
pub(super) struct Tables {
    tables: BTreeMap<String, Table>,
}

/// The committed entities of one definition.
pub(super) struct Table {
    pub(super) definition: EntityDefinition,
    pub(super) rows: BTreeMap<Key, StoredRow>,
    /// The unique values in the table, each with the key of its entity.
    pub(super) unique: BTreeMap<UniqueKey, Key>,
    /// The number of commits that changed the table.
    pub(super) commits: u64,
    last_identifier: i64,
}

/// The fields of a unique constraint, and the scope values and field values of an entity.
pub(super) type UniqueKey = (Vec<Cow<'static, str>>, Key);

/// A stored row, with copies of the values that other tables need.
#[derive(Clone)]
pub(super) struct StoredRow {
    pub(super) row: Arc<Row>,
    pub(super) version: Version,
    pub(super) scope: Key,
    pub(super) unique: Vec<UniqueKey>,
    pub(super) links: Vec<Link>,
    /// `true` if the entity is deleted and stays in the store.
    pub(super) is_deleted: bool,
}

/// A reference from an entity to another entity, which must exist. A reference with [`OnDelete::Keep`] is only checked when it is written.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) field: Cow<'static, str>,
    pub(super) target: String,
    pub(super) key: Key,
    pub(super) on_delete: OnDelete,
}

impl Tables {
    pub(super) fn get(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.tables.keys()
    }

    pub(super) fn row(&self, name: &str, key: &Key) -> Option<&StoredRow> {
        self.get(name)?.rows.get(key)
    }

    pub(super) fn commits(&self, name: &str) -> u64 {
        self.get(name).map_or(0, |table| table.commits)
    }

    /// Returns the table of a definition. Creates the table if it does not exist.
    pub(super) fn declare(&mut self, definition: &EntityDefinition) -> Result<&mut Table, StoreError> {
        let table = self.tables.entry(definition.name().to_owned()).or_insert_with(|| Table {
            definition: definition.clone(),
            rows: BTreeMap::new(),
            unique: BTreeMap::new(),
            commits: 0,
            last_identifier: 0,
        });
        if table.definition == *definition {
            return Ok(table);
        }
        Err(StoreError::failed(format!(
            "two different definitions have the name `{}`; give them different names, or the same fields",
            definition.name()
        )))
    }

    /// Applies the changes of a transaction after the check for conflicts. Returns the replaced rows.
    pub(super) fn apply(&mut self, changes: Changes) -> Vec<StoredRow> {
        let mut replaced = Vec::new();
        for (name, changes) in changes.tables {
            let Some(table) = self.tables.get_mut(&name).filter(|_| !changes.rows.is_empty()) else { continue };
            table.commits += 1;
            // A transaction may give a unique value of one entity to another, so all old values are released first.
            if !table.unique.is_empty() {
                let rows = changes.rows.keys().filter_map(|key| table.rows.get(key));
                rows.flat_map(|row| &row.unique).for_each(|unique| drop(table.unique.remove(unique)));
            }
            for (key, row) in changes.rows {
                replaced.extend(match row {
                    Some(row) => {
                        table.unique.extend(row.unique.iter().map(|unique| (unique.clone(), key.clone())));
                        table.rows.insert(key, row)
                    }
                    None => table.rows.remove(&key),
                });
            }
        }
        replaced
    }
}

impl Table {
    /// Records an identifier that the store did not generate. The store then generates only larger identifiers.
    pub(super) fn skip_identifiers(&mut self, given: i128) {
        let given = i64::try_from(given).unwrap_or(i64::MAX);
        self.last_identifier = self.last_identifier.max(given);
    }

    /// Returns an identifier that no entity of the table has ever had.
    pub(super) fn next_identifier(&mut self) -> Result<i64, StoreError> {
        let next = self
            .last_identifier
            .checked_add(1)
            .ok_or_else(|| StoreError::failed("all integer identifiers are used"))?;
        self.last_identifier = next;
        Ok(next)
    }
}
