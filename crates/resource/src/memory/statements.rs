//! Implements the statements of a [`MemoryStore`], which find, list, insert, update and delete entities.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use restwright_list::{Comparison, Exists, Expression, ListSlice, Value, Window, apply};

use super::MemoryStore;
use super::changes::Changes;
use super::joined_row::{JoinedRow, ValuesOfRelated};
use super::tables::{Row, StoredEntity};
use super::view::View;
use crate::definition::IdentifierKind;
use crate::entity::{Entity, Version, Versioned};
use crate::store::{ListQuery, RelatedValue, Statement, Store, StoreError, replace_exists};

type Context<'s> = Statement<'s, MemoryStore>;

impl MemoryStore {
    pub(super) fn find_now<R: Entity + Clone>(
        &self,
        statement: &mut Context<'_>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        let key = statement.key(identifier)?;
        let name = statement.definition().name();
        let row = self.run(statement, |view| view.read(name, &key))?;
        let found = row.map(|row| typed::<R>(name, &row)).transpose()?;
        Ok(found.filter(|found| statement.admits(found)).map(owned))
    }

    pub(super) fn exists_now(
        &self,
        statement: &mut Context<'_>,
        identifier: &Value<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        let condition = self.resolved(statement, condition)?;
        statement.definition().check_condition(&condition)?;
        let key = statement.key(identifier)?;
        let name = statement.definition().name();
        let row = self.run(statement, |view| view.read(name, &key))?;
        Ok(row.is_some_and(|row| is_in_scope(statement, &row) && condition.holds(&*row.entity)))
    }

    pub(super) fn any_now(&self, statement: &mut Context<'_>, condition: &Expression) -> Result<bool, StoreError> {
        let condition = self.resolved(statement, condition)?;
        statement.restrict(&condition)?;
        let name = statement.definition().name();
        let rows = self.run(statement, |view| view.read_all(name))?;
        Ok(rows.iter().any(|row| is_in_scope(statement, row) && condition.holds(&*row.entity)))
    }

    pub(super) fn list_now<R: Entity + Clone>(
        &self,
        statement: &mut Context<'_>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>>, StoreError> {
        statement.check_query(query, &|name| self.definition(name))?;
        let filter = self.resolved(statement, &query.filter)?;
        let filter = statement.restrict(&filter)?;
        let related = query.related.iter().map(|value| self.values_of_related(statement, value));
        let related = related.collect::<Result<Vec<_>, _>>()?;
        let name = statement.definition().name();
        let rows = self.run(statement, |view| view.read_all(name))?;
        let rows = rows.into_iter().map(|row| JoinedRow::new(row, &related));
        // The rows are sorted by code that is compiled once for all types.
        let listed = apply(filter, &query.order, &query.window, rows);
        listed.try_map(|joined| typed::<R>(name, &joined.row).map(owned))
    }

    pub(super) fn list_per_key_now<R: Entity + Clone>(
        &self,
        statement: &mut Context<'_>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> Result<Vec<Versioned<R>>, StoreError> {
        let query = query.with_filter(self.resolved(statement, &query.filter)?.into_owned());
        let filter = statement.restrict_query(&query)?;
        fields.iter().try_for_each(|field| statement.definition().check_field(field))?;
        let mut groups: BTreeMap<&Vec<Value<'static>>, Vec<_>> = keys.iter().map(|key| (key, Vec::new())).collect();
        for entity in self.all::<R>(statement)? {
            let key: Vec<_> = fields.iter().map(|field| entity.entity.value(field).into_owned()).collect();
            if let Some(group) = groups.get_mut(&key) {
                group.push(entity);
            }
        }
        let window = Window::skip(0, u32::try_from(query.window.read()).unwrap_or(u32::MAX));
        let groups = groups.into_values().map(|group| apply(filter.clone(), &query.order, &window, group));
        Ok(groups.flat_map(|group| group.items).map(owned).collect())
    }

    pub(super) fn count_now<R: Entity>(
        &self,
        statement: &mut Context<'_>,
        filter: &Expression,
    ) -> Result<u64, StoreError> {
        let filter = self.resolved(statement, filter)?;
        let filter = statement.restrict(&filter)?;
        let all = self.all::<R>(statement)?;
        Ok(all.iter().filter(|entity| filter.holds(entity)).fold(0, |count, _| count + 1))
    }

    pub(super) fn insert_now<R: Entity + Clone>(
        &self,
        statement: &mut Context<'_>,
        mut entity: R,
    ) -> Result<Versioned<R>, StoreError> {
        let version = Version::random();
        let is_made = statement.prepare_insert(&mut entity, version)?;
        let definition = statement.definition();
        if definition.identifier_kind() == IdentifierKind::Integer {
            let mut tables = self.lock();
            let table = tables.declare(definition)?;
            match entity.value(definition.identifier()) {
                Value::Integer(given) if !is_made => table.skip_identifiers(given),
                _ => {
                    let identifier = table.next_identifier()?;
                    drop(tables);
                    statement.set(&mut entity, definition.identifier(), identifier.into())?;
                }
            }
        }
        self.lock().declare(definition)?;
        let kept = entity.clone();
        self.run(statement, |view| {
            if view.read(definition.name(), &definition.key(&kept))?.is_some() {
                return Err(StoreError::conflict(definition.identifier().to_owned()));
            }
            view.put(definition, kept, version)
        })?;
        Ok(Versioned::new(entity, version))
    }

    pub(super) fn update_now<R: Entity + Clone>(
        &self,
        statement: &mut Context<'_>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        // The version is random, because a counter would reveal to a tenant how many writes other tenants make.
        let version = Version::random();
        statement.prepare_update(&mut entity, version)?;
        let definition = statement.definition();
        self.lock().declare(definition)?;
        let sees_deleted = statement.sees_deleted();
        let kept = entity.clone();
        self.run(statement, |view| {
            let row = view.read(definition.name(), &definition.key(&kept))?;
            let row = row.filter(|row| row.scope == definition.scope_values(&kept));
            let row = row.filter(|row| sees_deleted || !row.is_deleted).ok_or(StoreError::NotFound)?;
            typed::<R>(definition.name(), &row)?;
            check_version(&row, expected)?;
            view.put(definition, kept, version)
        })?;
        Ok(Versioned::new(entity, version))
    }

    pub(super) fn delete_now<R: Entity + Clone>(
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
            if !scope.admits(&typed::<R>(definition.name(), &row)?) {
                return Err(StoreError::NotFound);
            }
            check_version(&row, expected)?;
            view.remove(definition.name(), key, now)
        })
    }

    /// Replaces each condition on related entities with a condition on field values. The values are read from the related entities that
    /// match.
    fn resolved<'f>(
        &self,
        statement: &mut Context<'_>,
        condition: &'f Expression,
    ) -> Result<Cow<'f, Expression>, StoreError> {
        let definition = statement.definition();
        replace_exists(condition, &mut |exists| {
            let (related, linked) = definition.related(exists, &|name| self.definition(name))?;
            let rows = self.run(statement, |view| view.read_all(related.name()))?;
            Ok(values_of(&linked, rows.iter().filter(|row| !row.is_deleted).map(|row| &*row.entity)))
        })
    }

    /// Reads a value of the related entities, for an order.
    fn values_of_related(
        &self,
        statement: &mut Context<'_>,
        value: &RelatedValue,
    ) -> Result<ValuesOfRelated, StoreError> {
        let (related, linked) = statement.definition().related(&value.exists, &|name| self.definition(name))?;
        let rows = self.run(statement, |view| view.read_all(related.name()))?;
        Ok(ValuesOfRelated::new(value, &linked, rows))
    }

    /// Runs a statement in its transaction, or in a new transaction if the statement has no transaction.
    fn run<T>(
        &self,
        statement: &mut Context<'_>,
        run: impl FnOnce(&mut View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(transaction) = statement.transaction() {
            transaction.check(self)?;
            return run(&mut View { tables: &mut self.lock(), changes: &mut transaction.changes });
        }
        let mut tables = self.lock();
        let mut changes = Changes::default();
        let done = run(&mut View { tables: &mut tables, changes: &mut changes })?;
        let replaced = tables.apply(changes);
        drop(tables);
        // Dropping an entity runs code of the service, so it happens without the lock.
        drop(replaced);
        Ok(done)
    }

    /// Returns all entities of the statement's definition, in every scope.
    fn all<R: Entity>(&self, statement: &mut Context<'_>) -> Result<Vec<Versioned<Arc<R>>>, StoreError> {
        let name = statement.definition().name();
        let rows = self.run(statement, |view| view.read_all(name))?;
        rows.iter().map(|row| typed(name, row)).collect()
    }
}

/// Returns `true` if a row is in the scope of a statement and is not deleted. Deleted rows match if the statement includes them.
fn is_in_scope(statement: &Context<'_>, row: &Row) -> bool {
    if row.is_deleted && !statement.sees_deleted() {
        return false;
    }
    let mut own = statement.definition().scope_fields().zip(&row.scope);
    own.all(|(field, value)| statement.scope().get(field.name()).is_none_or(|wanted| wanted == value))
}

/// Converts an [`Exists`] to a condition that requires the linked fields to equal the values in one of the matching related entities.
fn values_of<'r>(exists: &Exists, related: impl Iterator<Item = &'r dyn StoredEntity>) -> Expression {
    let matching = related.filter(|related| exists.condition().holds(*related));
    let equals = |related: &dyn StoredEntity, (theirs, own): (&str, &str)| {
        // Null is not equal to any value, as in every comparison.
        Expression::condition(own.to_owned(), Comparison::Eq(related.value(theirs).into_owned()))
    };
    Expression::Any(
        matching.map(|related| Expression::All(exists.links().map(|link| equals(related, link)).collect())).collect(),
    )
}

fn check_version(row: &Row, expected: Option<Version>) -> Result<(), StoreError> {
    if expected.is_none_or(|expected| expected == row.version) { Ok(()) } else { Err(StoreError::StaleVersion) }
}

/// Returns the entity of a row, downcast to the type `R`, with its version.
fn typed<R: Entity>(name: &str, row: &Row) -> Result<Versioned<Arc<R>>, StoreError> {
    let entity: Arc<dyn Any + Send + Sync> = row.entity.clone();
    let entity = entity.downcast().ok().ok_or_else(|| {
        StoreError::failed(format!(
            "entities of a type other than {} have the name `{name}`; give them different names",
            std::any::type_name::<R>()
        ))
    })?;
    Ok(Versioned::new(entity, row.version))
}

fn owned<R: Clone>(shared: Versioned<Arc<R>>) -> Versioned<R> {
    Versioned::new(Arc::unwrap_or_clone(shared.entity), shared.version)
}
