//! Defines [`Changes`], the changes and reads of a transaction.

use std::collections::BTreeMap;

use super::tables::{Key, Link, StoredRow, Tables, UniqueKey};
use crate::entity::Version;
use crate::store::StoreError;

/// The changes and the reads of a transaction. The reads must still be valid at the commit.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) tables: BTreeMap<String, TableChanges>,
}

#[derive(Default)]
pub(super) struct TableChanges {
    /// The inserted and changed entities by key. The value is `None` for a deleted entity.
    pub(super) rows: BTreeMap<Key, Option<StoredRow>>,
    /// The unique values of changed entities, with the keys of the entities.
    pub(super) unique: BTreeMap<UniqueKey, Key>,
    /// The committed version that each entity had at its first read, or `None` if the entity did not exist.
    seen: BTreeMap<Key, Option<Version>>,
    /// The commit count of the table when the transaction first read the whole table.
    scanned: Option<u64>,
}

impl Changes {
    pub(super) fn table(&self, name: &str) -> Option<&TableChanges> {
        self.tables.get(name)
    }

    pub(super) fn table_mut(&mut self, name: &str) -> &mut TableChanges {
        self.tables.entry(name.to_owned()).or_default()
    }

    /// Returns an entity that the transaction changed, or `Some(None)` if the transaction deleted it. Returns `None` if the transaction did
    /// not change it.
    pub(super) fn row(&self, name: &str, key: &Key) -> Option<Option<&StoredRow>> {
        self.table(name)?.rows.get(key).map(Option::as_ref)
    }

    /// Returns a committed entity and records that the transaction read it. Fails if the entity has changed since its first read.
    pub(super) fn see<'t>(
        &mut self,
        tables: &'t Tables,
        name: &str,
        key: &Key,
    ) -> Result<Option<&'t StoredRow>, StoreError> {
        let row = tables.row(name, key);
        let now = row.map(|row| row.version);
        let seen = *self.table_mut(name).seen.entry(key.clone()).or_insert(now);
        if seen == now { Ok(row) } else { Err(StoreError::TransactionConflict) }
    }

    /// Records that the transaction read all entities of a table. Fails if one of the entities has changed since the first read.
    pub(super) fn scan(&mut self, tables: &Tables, name: &str) -> Result<(), StoreError> {
        let now = tables.commits(name);
        let scanned = *self.table_mut(name).scanned.get_or_insert(now);
        if scanned == now { Ok(()) } else { Err(StoreError::TransactionConflict) }
    }

    /// Checks that the transaction does not conflict with transactions that committed after it began.
    pub(super) fn check(&self, tables: &Tables) -> Result<(), StoreError> {
        let holds = self.tables.iter().all(|(name, changes)| changes.holds(tables, name))
            && self.tables.values().all(|changes| self.has_targets_of(tables, changes))
            && tables.names().all(|name| self.leaves_targets_of(tables, name));
        if holds { Ok(()) } else { Err(StoreError::TransactionConflict) }
    }

    /// Returns `true` if the changed entities refer only to existing entities. A deleted entity may refer to deleted entities.
    fn has_targets_of(&self, tables: &Tables, changes: &TableChanges) -> bool {
        let rows = changes.rows.values().flatten();
        let mut links = rows.flat_map(|row| row.links.iter().map(|link| (link, row.is_deleted)));
        links.all(|(link, is_deleted)| {
            let target = match self.row(&link.target, &link.key) {
                Some(changed) => changed,
                None => tables.row(&link.target, &link.key),
            };
            target.is_some_and(|target| is_deleted || !target.is_deleted)
        })
    }

    /// Returns `true` if no remaining entity of a table refers to an entity that the transaction deleted.
    fn leaves_targets_of(&self, tables: &Tables, name: &str) -> bool {
        let is_missing = |row: &StoredRow, link: &Link| match self.row(&link.target, &link.key) {
            Some(Some(target)) => target.is_deleted && !row.is_deleted,
            Some(None) => true,
            None => false,
        };
        // Without references in its definition, the table cannot refer to a deleted entity.
        if tables.get(name).is_none_or(|table| !table.definition.fields().any(|field| field.reference().is_some())) {
            return true;
        }
        let committed = tables.get(name).into_iter().flat_map(|table| &table.rows);
        let mut staying = committed.filter(|(key, _)| self.row(name, key).is_none()).map(|(_, row)| row);
        !staying.any(|row| row.links.iter().any(|link| is_missing(row, link)))
    }
}

impl TableChanges {
    fn holds(&self, tables: &Tables, name: &str) -> bool {
        let is_unchanged =
            |(key, seen): (&Key, &Option<Version>)| tables.row(name, key).map(|row| row.version) == *seen;
        let is_free = |(unique, key): (&UniqueKey, &Key)| {
            let holder = tables.get(name).and_then(|table| table.unique.get(unique));
            holder.is_none_or(|holder| holder == key || self.rows.contains_key(holder))
        };
        self.seen.iter().all(is_unchanged)
            && self.scanned.is_none_or(|scanned| scanned == tables.commits(name))
            && self.unique.iter().all(is_free)
    }
}
