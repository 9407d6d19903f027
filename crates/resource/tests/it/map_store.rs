use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use restwright_list::{Expression, ListSlice, Uncounted, Value, apply};
use restwright_resource::{Entity, ListQuery, Repository, Statement, Store, StoreError, Version, Versioned};

type Key = Vec<Value<'static>>;

/// Entities by the name of their definition and their key.
type Map<R> = BTreeMap<(String, Key), Versioned<R>>;

#[derive(Clone, Debug)]
pub(crate) struct MapStore<R>(Arc<Mutex<Map<R>>>);

impl<R> MapStore<R> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    fn map(&self) -> Result<MutexGuard<'_, Map<R>>, StoreError> {
        self.0.lock().map_err(|error| StoreError::failed(error.to_string()))
    }
}

impl<R: Entity + Clone> Store for MapStore<R> {
    type Transaction = Infallible;
    type Connection = Infallible;

    fn connection(transaction: &mut Infallible) -> &mut Infallible {
        transaction
    }

    async fn begin(&self) -> Result<Infallible, StoreError> {
        Err(StoreError::failed("this store has no transactions"))
    }

    async fn commit(&self, transaction: Infallible) -> Result<(), StoreError> {
        match transaction {}
    }
}

impl<R: Entity + Clone> Repository<R> for MapStore<R> {
    async fn find(&self, statement: Statement<'_, Self>, id: &Value<'_>) -> Result<Option<Versioned<R>>, StoreError> {
        let key = (statement.definition().name().to_owned(), statement.key(id)?);
        Ok(self.map()?.get(&key).filter(|found| statement.scope().admits(found)).cloned())
    }

    async fn list(
        &self,
        statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let filter = statement.restrict_query(query)?;
        let map = self.map()?;
        let all = map.iter().filter(|((name, _), _)| name == statement.definition().name()).map(|(_, found)| found);
        Ok(apply(filter, &query.order, &query.window, all).cloned().without_total())
    }

    async fn count(&self, statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        let filter = statement.restrict(filter)?;
        let is_counted = |name: &str, found| name == statement.definition().name() && filter.holds(found);
        Ok(self.map()?.iter().filter(|((name, _), found)| is_counted(name, *found)).count() as u64)
    }

    async fn insert(&self, statement: Statement<'_, Self>, mut entity: R) -> Result<Versioned<R>, StoreError> {
        let mut map = self.map()?;
        // Also an identifier that was deleted gets other versions.
        let version = Version::random();
        let is_made = statement.prepare_insert(&mut entity, version)?;
        let definition = statement.definition();
        if is_made {
            statement.set(&mut entity, definition.identifier(), version.number().into())?;
        }
        if map.contains_key(&(definition.name().to_owned(), definition.key(&entity))) {
            return Err(StoreError::conflict(definition.identifier().to_owned()));
        }
        put(&mut map, &statement, Versioned::new(entity, version))
    }

    async fn update(
        &self,
        statement: Statement<'_, Self>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let mut map = self.map()?;
        let version = Version::random();
        statement.prepare_update(&mut entity, version)?;
        let definition = statement.definition();
        let found = checked(&map, &statement, definition.key(&entity), None)?;
        if definition.scope_values(found) != definition.scope_values(&entity) {
            return Err(StoreError::NotFound);
        }
        checked(&map, &statement, definition.key(&entity), expected)?;
        put(&mut map, &statement, Versioned::new(entity, version))
    }

    async fn delete(
        &self,
        statement: Statement<'_, Self>,
        id: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let mut map = self.map()?;
        let key = statement.key(id)?;
        checked(&map, &statement, key.clone(), expected)?;
        map.remove(&(statement.definition().name().to_owned(), key));
        Ok(())
    }
}

/// Returns the entity with a key, if it is in the scope and has the expected version.
fn checked<'m, R: Entity + Clone>(
    map: &'m Map<R>,
    statement: &Statement<'_, MapStore<R>>,
    key: Key,
    expected: Option<Version>,
) -> Result<&'m Versioned<R>, StoreError> {
    let found = map.get(&(statement.definition().name().to_owned(), key));
    let found = found.filter(|found| statement.scope().admits(*found)).ok_or(StoreError::NotFound)?;
    if expected.is_some_and(|expected| expected != found.version) { Err(StoreError::StaleVersion) } else { Ok(found) }
}

/// Puts an entity in its place, unless another one has one of its unique values.
fn put<R: Entity + Clone>(
    map: &mut Map<R>,
    statement: &Statement<'_, MapStore<R>>,
    entity: Versioned<R>,
) -> Result<Versioned<R>, StoreError> {
    let definition = statement.definition();
    let place = (definition.name().to_owned(), definition.key(&entity));
    let others = map.iter().filter(|(other, _)| other.0 == place.0 && **other != place);
    let taken: Vec<_> = others.flat_map(|(_, other)| definition.unique_keys(other)).collect();
    if let Some((fields, _)) = definition.unique_keys(&entity).find(|unique| taken.contains(unique)) {
        return Err(StoreError::conflict_of(fields.to_vec()));
    }
    map.insert(place, entity.clone());
    Ok(entity)
}
