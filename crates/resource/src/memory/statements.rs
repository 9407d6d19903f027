//! Implements the statements of a [`MemoryStore`], which find, list, insert, update and delete entities.

use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_list::{Comparison, Exists, Expression, ListSlice, Record, Value, Window, apply};

use super::changes::Changes;
use super::joined_row::{JoinedRow, ValuesOfRelated};
use super::tables::StoredRow;
use super::view::View;
use super::{MemoryStore, MemoryTransaction};
use crate::definition::IdentifierKind;
use crate::entity::{Version, Versioned};
use crate::row::Row;
use crate::store::{ListQuery, Read, ReadResult, RelatedValue, Statement, Store, StoreError, replace_exists};

type Context<'s> = Statement<'s>;

impl MemoryStore {
    pub(super) fn read_now(&self, statement: &mut Context<'_>, read: Read<'_>) -> Result<ReadResult, StoreError> {
        Ok(match read {
            Read::Find(identifier) => ReadResult::rows(self.find_now(statement, identifier)?),
            Read::List { query, .. } => self.list_now(statement, query)?.into(),
            Read::ListPerKey { query, fields, keys } => {
                ReadResult::rows(self.list_per_key_now(statement, query, fields, keys)?)
            }
            Read::Count(filter) => ReadResult::total(self.count_now(statement, filter)?),
            Read::Exists { identifier, condition } => {
                ReadResult::total(self.exists_now(statement, identifier, condition)?.into())
            }
            Read::Any(condition) => ReadResult::total(self.any_now(statement, condition)?.into()),
        })
    }

    fn find_now(
        &self,
        statement: &mut Context<'_>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        let key = statement.key(identifier)?;
        let name = statement.definition().name();
        let found = self.run(statement, |view| view.read(name, &key))?;
        Ok(found.filter(|found| statement.admits(&*found.row)).map(owned))
    }

    fn exists_now(
        &self,
        statement: &mut Context<'_>,
        identifier: &Value<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        let key = statement.key(identifier)?;
        let (wanted, related) = self.joined(statement, condition, &[])?;
        let name = statement.definition().name();
        let row = self.run(statement, |view| view.read(name, &key))?;
        Ok(row.is_some_and(|row| wanted.holds(&JoinedRow::new(row, &related))))
    }

    fn any_now(&self, statement: &mut Context<'_>, condition: &Expression) -> Result<bool, StoreError> {
        let (wanted, related) = self.joined(statement, condition, &[])?;
        let rows = self.rows(statement)?;
        Ok(rows.into_iter().any(|row| wanted.holds(&JoinedRow::new(row, &related))))
    }

    fn list_now(
        &self,
        statement: &mut Context<'_>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<Row>>, StoreError> {
        statement.check_query(query, &|name| self.definition(name))?;
        let (wanted, related) = self.joined(statement, &query.filter, &query.related)?;
        let rows = self.rows(statement)?.into_iter().map(|row| JoinedRow::new(row, &related));
        Ok(apply(wanted, &query.order, &query.window, rows).map(|joined| owned(joined.row)))
    }

    fn list_per_key_now(
        &self,
        statement: &mut Context<'_>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Versioned<Row>>, StoreError> {
        statement.check_query(query, &|name| self.definition(name))?;
        fields.iter().try_for_each(|field| statement.definition().check_field(field))?;
        let (wanted, related) = self.joined(statement, &query.filter, &[])?;
        let mut groups: BTreeMap<&Vec<Value<'static>>, Vec<_>> = keys.iter().map(|key| (key, Vec::new())).collect();
        for row in self.rows(statement)? {
            let key: Vec<_> = fields.iter().map(|field| row.row.value(field).into_owned()).collect();
            if let Some(group) = groups.get_mut(&key) {
                group.push(JoinedRow::new(row, &related));
            }
        }
        let window = Window::skip(0, u32::try_from(query.window.read()).unwrap_or(u32::MAX));
        let groups = groups.into_values().map(|group| apply(wanted.clone(), &query.order, &window, group));
        Ok(groups.flat_map(|group| group.items).map(|joined| owned(joined.row)).collect())
    }

    fn count_now(&self, statement: &mut Context<'_>, filter: &Expression) -> Result<u64, StoreError> {
        let (wanted, related) = self.joined(statement, filter, &[])?;
        let rows = self.rows(statement)?.into_iter().map(|row| JoinedRow::new(row, &related));
        Ok(rows.filter(|row| wanted.holds(row)).fold(0, |count, _| count + 1))
    }

    pub(super) fn insert_now(&self, statement: &mut Context<'_>, mut row: Row) -> Result<Versioned<Row>, StoreError> {
        let version = Version::random();
        let is_made = statement.prepare_insert(&mut row, version)?;
        let definition = statement.definition();
        if definition.identifier_kind() == IdentifierKind::Integer {
            let mut tables = self.lock();
            let table = tables.declare(definition)?;
            match row.value(definition.identifier()) {
                Value::Integer(given) if !is_made => table.skip_identifiers(given),
                _ => {
                    let identifier = table.next_identifier()?;
                    drop(tables);
                    statement.set(&mut row, definition.identifier(), identifier.into())?;
                }
            }
        }
        self.lock().declare(definition)?;
        let kept = Arc::new(row.clone());
        self.run(statement, |view| {
            if view.read(definition.name(), &definition.key(&*kept))?.is_some() {
                return Err(StoreError::conflict(definition.identifier().to_owned()));
            }
            view.put(&kept, version)
        })?;
        Ok(Versioned::new(row, version))
    }

    pub(super) fn update_now(
        &self,
        statement: &mut Context<'_>,
        mut row: Row,
        expected: Option<Version>,
    ) -> Result<Versioned<Row>, StoreError> {
        // The version is random, because a counter would reveal to a tenant how many writes other tenants make.
        let version = Version::random();
        statement.prepare_update(&mut row, version)?;
        let definition = statement.definition();
        self.lock().declare(definition)?;
        let sees_deleted = statement.sees_deleted();
        let kept = Arc::new(row.clone());
        self.run(statement, |view| {
            let stored = view.read(definition.name(), &definition.key(&*kept))?;
            let stored = stored.filter(|stored| stored.scope == definition.scope_values(&*kept));
            let stored = stored.filter(|stored| sees_deleted || !stored.is_deleted).ok_or(StoreError::NotFound)?;
            check_version(&stored, expected)?;
            view.put(&kept, version)
        })?;
        Ok(Versioned::new(row, version))
    }

    pub(super) fn delete_now(
        &self,
        statement: &mut Context<'_>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let key = statement.key(identifier)?;
        let (definition, scope) = (statement.definition(), statement.scope());
        let now = statement.deletion_time();
        self.run(statement, |view| {
            view.tables.declare(definition)?;
            let row = view.read(definition.name(), &key)?.filter(|row| !row.is_deleted).ok_or(StoreError::NotFound)?;
            if !scope.admits(&*row.row) {
                return Err(StoreError::NotFound);
            }
            check_version(&row, expected)?;
            view.remove(definition.name(), key, now)
        })
    }

    /// Returns a condition on [`JoinedRow`]s, restricted to the scope of the statement, and the values of related entities that these rows contain.
    ///
    /// There is a value for each item of `ordered`, and for each [`Exists`] in `filter` whether such an entity exists. The time is linear in the
    /// number of entities.
    fn joined(
        &self,
        statement: &mut Context<'_>,
        filter: &Expression,
        ordered: &[RelatedValue],
    ) -> Result<(Expression, Vec<ValuesOfRelated>), StoreError> {
        statement.check_filter(filter, &|name| self.definition(name))?;
        let mut related = Vec::new();
        for value in ordered {
            related.push(self.related(statement, value.name.clone(), &value.exists, Some(&value.field))?);
        }
        let filter = replace_exists(filter, &mut |exists| {
            // No field has such a name.
            let name = format!("\u{1}exists {}", related.len());
            related.push(self.related(statement, name.clone(), exists, None)?);
            Ok::<_, StoreError>(Expression::condition(name, Comparison::Eq(true.into())))
        })?;
        Ok((statement.restrict(&Expression::TRUE)?.and(filter.into_owned()), related))
    }

    /// Reads the values of a field in the related entities that match `exists`, or `true` for each without a field.
    fn related(
        &self,
        statement: &mut Context<'_>,
        name: String,
        exists: &Exists,
        field: Option<&str>,
    ) -> Result<ValuesOfRelated, StoreError> {
        let (related, linked) = statement.definition().related(exists, &|name| self.definition(name))?;
        let rows = self.run(statement, |view| view.read_all(related.name()))?;
        Ok(ValuesOfRelated::new(name, &linked, field, rows))
    }

    /// Runs a statement in its transaction, or in a new transaction if the statement has no transaction.
    fn run<T>(
        &self,
        statement: &mut Context<'_>,
        run: impl FnOnce(&mut View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(transaction) = statement.transaction::<MemoryTransaction>()? {
            transaction.check(self)?;
            return run(&mut View { tables: &mut self.lock(), changes: &mut transaction.changes });
        }
        let mut tables = self.lock();
        let mut changes = Changes::default();
        let done = run(&mut View { tables: &mut tables, changes: &mut changes })?;
        let replaced = tables.apply(changes);
        drop(tables);
        // Dropping many rows takes time, so it happens without the lock.
        drop(replaced);
        Ok(done)
    }

    /// Returns all rows of the statement's definition, in every scope.
    fn rows(&self, statement: &mut Context<'_>) -> Result<Vec<StoredRow>, StoreError> {
        let name = statement.definition().name();
        self.run(statement, |view| view.read_all(name))
    }
}

fn check_version(row: &StoredRow, expected: Option<Version>) -> Result<(), StoreError> {
    if expected.is_none_or(|expected| expected == row.version) { Ok(()) } else { Err(StoreError::StaleVersion) }
}

fn owned(stored: StoredRow) -> Versioned<Row> {
    Versioned::new(Arc::unwrap_or_clone(stored.row), stored.version)
}
