//! Defines [`View`], the entities that a transaction sees.

use std::collections::VecDeque;
use std::sync::Arc;

use jiff::Timestamp;
use restwright_list::{Record, Value};

use super::changes::Changes;
use super::tables::{Key, Link, StoredRow, Tables, UniqueKey};
use crate::definition::{EntityDefinition, IdentifierKind, OnDelete};
use crate::entity::Version;
use crate::row::Row;
use crate::store::StoreError;

/// The committed entities, combined with the changes of a transaction.
pub(super) struct View<'v> {
    pub(super) tables: &'v mut Tables,
    pub(super) changes: &'v mut Changes,
}

impl View<'_> {
    /// Returns an entity and records in the transaction that it was read.
    pub(super) fn read(&mut self, name: &str, key: &Key) -> Result<Option<StoredRow>, StoreError> {
        let committed = self.changes.see(self.tables, name, key)?;
        Ok(self.changes.row(name, key).unwrap_or(committed).cloned())
    }

    /// Returns all entities of a table and records in the transaction that they were read.
    pub(super) fn read_all(&mut self, name: &str) -> Result<Vec<StoredRow>, StoreError> {
        self.changes.scan(self.tables, name)?;
        Ok(self.rows(name).map(|(_, row)| row.clone()).collect())
    }

    /// Inserts an entity, or replaces the entity with the same key. Checks that its unique values are free and that its references exist.
    pub(super) fn put(&mut self, row: &Arc<Row>, version: Version) -> Result<(), StoreError> {
        let definition = row.definition();
        let name = definition.name();
        let key = definition.key(&**row);
        self.release(name, &key);
        let mut unique = Vec::new();
        for (fields, values) in definition.unique_keys(&**row) {
            let value = (fields.to_vec(), values);
            if self.holder(name, &value).is_some_and(|holder| *holder != key) {
                return Err(StoreError::Conflict { fields: value.0 });
            }
            unique.push(value);
        }
        let (kept, links): (Vec<_>, Vec<_>) =
            self.links(row)?.into_iter().partition(|link| link.on_delete == OnDelete::Keep);
        // An unchanged reference stays valid.
        let before = self.row(name, &key).map(|stored| Arc::clone(&stored.row));
        let is_unchanged =
            |link: &Link| before.as_ref().is_some_and(|before| before.value(&link.field) == row.value(&link.field));
        let kept: Vec<_> = kept.into_iter().filter(|link| !is_unchanged(link)).collect();
        let scope = definition.scope_values(&**row);
        let changes = self.changes.table_mut(name);
        changes.unique.extend(unique.iter().map(|value| (value.clone(), key.clone())));
        let is_deleted = definition.is_deleted(&**row);
        let stored = StoredRow { row: Arc::clone(row), version, scope, unique, links, is_deleted };
        changes.rows.insert(key, Some(stored.clone()));
        let place = |link: &Link| definition.fields().position(|field| field.name() == link.field);
        let mut checked: Vec<_> = kept.into_iter().chain(stored.links).collect();
        checked.sort_by_key(place);
        for link in checked {
            let target = self.row(&link.target, &link.key).filter(|target| is_deleted || !target.is_deleted);
            if target.is_none_or(|target| !self.shares_scope(definition, &stored.scope, &link.target, &target.scope)) {
                return Err(StoreError::MissingReference { field: link.field });
            }
        }
        Ok(())
    }

    /// Deletes an entity, and all entities that refer to it with [`OnDelete::Cascade`]. If the definition has a deletion field, the entity
    /// stays in the store with the time of the deletion. If the entity that it refers to is removed from the store, it is removed too.
    pub(super) fn remove(&mut self, name: &str, key: Key, now: Timestamp) -> Result<(), StoreError> {
        let is_kept = self.keeps_deleted(name);
        let mut pending = VecDeque::from([(name.to_owned(), key, is_kept)]);
        let mut restricted = Vec::new();
        while let Some((name, key, is_kept)) = pending.pop_front() {
            for (from, referring, on_delete) in self.referring(&name, &key, is_kept) {
                match on_delete {
                    OnDelete::Cascade => {
                        let is_kept = is_kept && self.keeps_deleted(&from);
                        pending.push_back((from, referring, is_kept));
                    }
                    OnDelete::Restrict => restricted.push((from, referring)),
                    // These references are not links.
                    OnDelete::Keep => {}
                }
            }
            self.changes.see(self.tables, &name, &key)?;
            if is_kept {
                self.mark(&name, key, now);
            } else {
                self.release(&name, &key);
                self.changes.table_mut(&name).rows.insert(key, None);
            }
        }
        let is_live = |row: &StoredRow| !row.is_deleted;
        match restricted.into_iter().find(|(from, key)| self.row(from, key).is_some_and(is_live)) {
            Some((from, _)) => Err(StoreError::Referenced { by: from.into() }),
            None => Ok(()),
        }
    }

    /// Returns `true` if deleted entities of a table stay in the store.
    fn keeps_deleted(&self, name: &str) -> bool {
        self.tables.get(name).is_some_and(|table| table.definition.deletion_field().is_some())
    }

    /// Stores the time of the deletion in an entity and releases its unique values.
    fn mark(&mut self, name: &str, key: Key, now: Timestamp) {
        let field = self.tables.get(name).and_then(|table| Some(table.definition.deletion_field()?.owned_name()));
        // Another path of the cascade may have deleted the entity.
        let Some((stored, field)) = self.row(name, &key).filter(|row| !row.is_deleted).cloned().zip(field) else {
            return;
        };
        let row = Arc::new(Row::clone(&stored.row).with(&field, now));
        self.release(name, &key);
        let stored = StoredRow { row, version: Version::random(), unique: Vec::new(), is_deleted: true, ..stored };
        self.changes.table_mut(name).rows.insert(key, Some(stored));
    }

    fn row(&self, name: &str, key: &Key) -> Option<&StoredRow> {
        self.changes.row(name, key).unwrap_or_else(|| self.tables.row(name, key))
    }

    fn rows(&self, name: &str) -> impl Iterator<Item = (&Key, &StoredRow)> {
        let committed = self.tables.get(name).into_iter().flat_map(|table| &table.rows);
        let unchanged = committed.filter(move |(key, _)| self.changes.row(name, key).is_none());
        let changed = self.changes.table(name).into_iter().flat_map(|changes| &changes.rows);
        unchanged.chain(changed.filter_map(|(key, row)| Some((key, row.as_ref()?))))
    }

    /// Returns the key of the entity that has a unique value, or `None` if no entity has this value.
    fn holder(&self, name: &str, value: &UniqueKey) -> Option<&Key> {
        let changed = self.changes.table(name).and_then(|changes| changes.unique.get(value));
        changed.or_else(|| {
            let holder = self.tables.get(name)?.unique.get(value)?;
            // The unique values of a changed entity are among the changes, so its committed values do not count.
            self.changes.row(name, holder).is_none().then_some(holder)
        })
    }

    /// Releases the unique values of an entity that the transaction has changed.
    fn release(&mut self, name: &str, key: &Key) {
        if let Some(changes) = self.changes.tables.get_mut(name)
            && let Some(Some(row)) = changes.rows.get(key)
        {
            row.unique.iter().for_each(|value| drop(changes.unique.remove(value)));
        }
    }

    /// Returns the entities that refer to an entity. If the entity stays in the store, deleted entities are not returned, because they may
    /// still refer to it.
    fn referring(&self, target: &str, key: &Key, is_kept: bool) -> Vec<(String, Key, OnDelete)> {
        let refers = |link: &&Link| link.target == target && link.key == *key;
        let mut found = Vec::new();
        for name in self.tables.names() {
            for (from, row) in self.rows(name).filter(|(_, row)| !(is_kept && row.is_deleted)) {
                found.extend(row.links.iter().filter(refers).map(|link| (name.clone(), from.clone(), link.on_delete)));
            }
        }
        found
    }

    /// Returns the references of an entity to other entities.
    fn links(&self, row: &Row) -> Result<Vec<Link>, StoreError> {
        let definition = row.definition();
        let mut links = Vec::new();
        for field in definition.fields() {
            let Some((target, on_delete)) = field.reference() else { continue };
            let value = row.value(field.name()).into_owned();
            if value.is_null() {
                continue;
            }
            // If the referenced table has no entities yet, the reference is missing. `put` reports it in the order of the fields.
            let key = match self.tables.get(target) {
                Some(table) => target_key(row, &table.definition, value)?,
                None => vec![value],
            };
            links.push(Link { field: field.owned_name(), target: target.to_owned(), key, on_delete });
        }
        Ok(links)
    }

    /// Returns `true` if two entities have equal values in the scope fields that both definitions contain.
    fn shares_scope(&self, definition: &EntityDefinition, scope: &Key, target: &str, target_scope: &Key) -> bool {
        let target = self.tables.get(target).into_iter().flat_map(|table| table.definition.scope_fields());
        target.zip(target_scope).all(|(field, of_target)| {
            let own = definition.scope_fields().zip(scope).find(|(own, _)| own.name() == field.name());
            own.is_none_or(|(_, own)| own == of_target)
        })
    }
}

/// Returns the key that a referenced entity has in its table.
fn target_key(row: &Row, target: &EntityDefinition, identifier: Value<'static>) -> Result<Key, StoreError> {
    let definition = row.definition();
    let mut key = Key::new();
    if let IdentifierKind::Given(_) = target.identifier_kind() {
        for field in target.scope_fields() {
            if definition.get(field.name()).is_none() {
                return Err(StoreError::failed(format!(
                    "`{}` refers to `{}`, which has separate identifiers for each `{}`, but lacks this field; add it to the definition",
                    definition.name(),
                    target.name(),
                    field.name()
                )));
            }
            key.push(row.value(field.name()).into_owned());
        }
    }
    key.push(identifier);
    Ok(key)
}
