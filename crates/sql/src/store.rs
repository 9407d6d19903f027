//! [`DatabaseStore`]: the store of a database.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use restwright_core::{ApiScope, BuildContext, BuildErrors};
use restwright_list::{Expression, ListSlice, Uncounted, Value};
use restwright_resource::{
    Entity, EntityDefinition, IdentifierKind, ListQuery, Repository, Statement, Store, StoreError, Version, Versioned,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::connections::{Access, Connections};
use crate::dialect::{Connection, Dialect};
use crate::lease::Lease;
use crate::mapping::TableMapping;
use crate::reading::{integer, integer_of, read_row};
use crate::select;
use crate::settings::Settings;
use crate::statements::{Place, insert, updated};
use crate::table::Table;
use crate::transaction::SqlTransaction;
use crate::{condition, failure};

/// Keeps entities in the tables of a database: a `SqliteStore` or a `PostgresStore`.
///
/// A clone is a handle to the same connections. Entities are [`Serialize`] and [`DeserializeOwned`] with the names of their definition's
/// fields: derive `serde::Deserialize` beside `Resource`.
pub struct DatabaseStore<D: Dialect> {
    pub(crate) shared: Arc<Shared<D>>,
}

/// What all handles of a store share.
pub(crate) struct Shared<D: Dialect> {
    pub(crate) url: Option<String>,
    pub(crate) settings: Settings,
    pub(crate) connections: Connections<D>,
    pub(crate) mappings: Vec<TableMapping>,
    /// The tables by the names of their definitions.
    pub(crate) tables: RwLock<BTreeMap<String, Arc<Table>>>,
}

/// The stores that an Api has registered as components.
#[derive(Default)]
struct RegisteredStores(Vec<usize>);

impl<D: Dialect> DatabaseStore<D> {
    /// Creates the store on the database at a URL. Nothing is opened before the Api starts, and building the Api fails if the URL is
    /// invalid.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self::assemble(Some(url.into()), None, Settings::default(), Vec::new())
    }

    /// Creates the store on a pool that the application has already, whose connections all workers share.
    #[must_use]
    pub fn from_pool(pool: sqlx::Pool<D::Database>) -> Self {
        Self::assemble(None, Some(pool), Settings::default(), Vec::new())
    }

    fn assemble(
        url: Option<String>,
        pool: Option<sqlx::Pool<D::Database>>,
        settings: Settings,
        mappings: Vec<TableMapping>,
    ) -> Self {
        let connections = match (&url, pool) {
            (_, Some(pool)) => Connections::given(pool, settings.clone()),
            (Some(url), None) => Connections::new(D::options(url, &settings), settings.clone()),
            (None, None) => Connections::new(Err("there is no URL".to_owned()), settings.clone()),
        };
        let tables = RwLock::new(BTreeMap::new());
        Self { shared: Arc::new(Shared { url, settings, connections, mappings, tables }) }
    }

    /// Changes the settings of a store that no clone shares yet.
    fn set(self, change: impl FnOnce(&mut Settings)) -> Self {
        let shared = &self.shared;
        let mut settings = shared.settings.clone();
        change(&mut settings);
        Self::assemble(shared.url.clone(), shared.connections.given_pool(), settings, shared.mappings.clone())
    }

    /// Creates missing tables, columns and indexes when the Api starts, under a lock, so that several processes may start together.
    /// Without it the start fails if the tables are not as they have to be, and names each difference.
    #[must_use]
    pub fn migrate(self) -> Self {
        self.set(|settings| settings.migrates = true)
    }

    /// Sets the names in a table that exists already.
    #[must_use]
    pub fn table(self, mapping: TableMapping) -> Self {
        let shared = &self.shared;
        let mut mappings = shared.mappings.clone();
        mappings.push(mapping);
        Self::assemble(shared.url.clone(), shared.connections.given_pool(), shared.settings.clone(), mappings)
    }

    /// Sets the longest time that a statement waits for a connection, 2 seconds by default; then the response is a 503.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        self.set(|settings| settings.wait = wait)
    }

    /// Sets the longest time that one statement takes, 5 seconds by default; then the response is a 503.
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {
        self.set(|settings| settings.statement_timeout = limit)
    }

    /// Returns the pool of connections, for statements of the application: that of the calling worker, if each has its own.
    ///
    /// # Errors
    /// The URL is invalid.
    pub fn pool(&self) -> Result<sqlx::Pool<D::Database>, StoreError> {
        self.shared.connections.pool(Access::Write)
    }

    /// Adds the table of a definition, for entities that no resource of an Api has.
    ///
    /// # Errors
    /// Another definition has the name.
    pub fn declare(&self, definition: &EntityDefinition) -> Result<(), StoreError> {
        self.shared.table(definition).map(drop)
    }

    fn id(&self) -> usize {
        Arc::as_ptr(&self.shared).addr()
    }
}

impl<D: Dialect> Shared<D> {
    /// Returns the table of a definition, and adds it if it is new.
    pub(crate) fn table(&self, definition: &EntityDefinition) -> Result<Arc<Table>, StoreError> {
        let known = self.tables.read().unwrap_or_else(PoisonError::into_inner).get(definition.name()).cloned();
        let table = match known {
            Some(table) => table,
            None => self.add(definition)?,
        };
        if table.definition == *definition {
            return Ok(table);
        }
        Err(StoreError::failed(format!(
            "two definitions have the name `{}` and differ; give them different names, or the same fields",
            definition.name()
        )))
    }

    fn add(&self, definition: &EntityDefinition) -> Result<Arc<Table>, StoreError> {
        for parent in definition.fields().filter_map(|field| field.parent_definition()) {
            self.table(parent)?;
        }
        let mapping = self.mappings.iter().find(|mapping| mapping.is_of(definition.name()));
        let mapping = mapping.cloned().unwrap_or_else(|| TableMapping::new(definition.name()));
        let table = Arc::new(Table::new(definition, &mapping));
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(tables.entry(definition.name().to_owned()).or_insert(table)))
    }

    /// Returns all tables.
    pub(crate) fn all_tables(&self) -> Vec<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    async fn lease<'t>(
        &self,
        access: Access,
        transaction: Option<&'t mut SqlTransaction<D>>,
    ) -> Result<Lease<'t, D>, StoreError> {
        Lease::new(&self.connections, &self.settings, access, transaction).await
    }
}

impl<D: Dialect> Store for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    type Transaction = SqlTransaction<D>;
    type Connection = Connection<D>;

    fn connection(transaction: &mut SqlTransaction<D>) -> &mut Connection<D> {
        transaction.hand_out()
    }

    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors> {
        let registered = &mut context.build_state::<RegisteredStores>().0;
        if !registered.contains(&self.id()) {
            registered.push(self.id());
            context.component(self.clone());
        }
        if let Some(mistake) = self.shared.connections.mistake() {
            return Err(BuildErrors::one(format!(
                "the URL of the {} store is invalid: {mistake}; write for example `{}`",
                D::NAME,
                D::EXAMPLE
            )));
        }
        self.declare(definition).map_err(|error| BuildErrors::one(error.to_string()))
    }

    async fn begin(&self) -> Result<SqlTransaction<D>, StoreError> {
        SqlTransaction::begin(&self.shared.connections, &self.shared.settings, self.id()).await
    }

    async fn commit(&self, transaction: SqlTransaction<D>) -> Result<(), StoreError> {
        transaction.commit(self.id()).await
    }

    async fn exists(&self, mut statement: Statement<'_, Self>, identifier: &Value<'_>) -> Result<bool, StoreError> {
        let exists = self.exists_row(&mut statement, identifier).await;
        noted(&mut statement, exists)
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        failure::is_conflict::<D>(error)
    }
}

impl<D: Dialect, R: Entity + Serialize + DeserializeOwned> Repository<R> for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    async fn find(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        let found = self.find_row(&mut statement, identifier).await;
        noted(&mut statement, found)
    }

    async fn list(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        let listed = self.list_rows(&mut statement, query).await;
        noted(&mut statement, listed)
    }

    async fn count(&self, mut statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        let counted = self.count_rows(&mut statement, filter).await;
        noted(&mut statement, counted)
    }

    async fn insert(&self, mut statement: Statement<'_, Self>, entity: R) -> Result<Versioned<R>, StoreError> {
        let inserted = self.insert_row(&mut statement, entity).await;
        noted(&mut statement, inserted)
    }

    async fn update(
        &self,
        mut statement: Statement<'_, Self>,
        entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        let updated = self.update_row(&mut statement, entity, expected).await;
        noted(&mut statement, updated)
    }

    async fn delete(
        &self,
        mut statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        let deleted = self.delete_row(&mut statement, identifier, expected).await;
        noted(&mut statement, deleted)
    }
}

/// Notes in the transaction of a statement that it failed.
fn noted<D: Dialect, T>(
    statement: &mut Statement<'_, DatabaseStore<D>>,
    outcome: Result<T, StoreError>,
) -> Result<T, StoreError> {
    if let (Err(_), Some(transaction)) = (&outcome, statement.transaction()) {
        transaction.has_failed = true;
    }
    outcome
}

impl<D: Dialect> DatabaseStore<D> {
    async fn exists_row(
        &self,
        statement: &mut Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<bool, StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope())? else { return Ok(false) };
        let mut lease = self.shared.lease(Access::Read, statement.transaction()).await?;
        let bound = place.exists::<D>();
        let rows = lease.fetch(&*table, bound.sql, bound.values).await?;
        lease.finish().await?;
        Ok(!rows.is_empty())
    }

    async fn find_row<R: Entity + DeserializeOwned>(
        &self,
        statement: &mut Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope())? else { return Ok(None) };
        let bound = place.find::<D>();
        let mut lease = self.shared.lease(Access::Read, statement.transaction()).await?;
        let rows = lease.fetch(&*table, bound.sql, bound.values).await?;
        lease.finish().await?;
        rows.first().map(|row| read_row::<D, R>(&table, row)).transpose()
    }

    async fn list_rows<R: Entity + DeserializeOwned>(
        &self,
        statement: &mut Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        statement.restrict_query(query)?;
        let table = self.shared.table(statement.definition())?;
        let (sql, values) = {
            let conditions = conditions::<D>(&table, statement, &query.filter)?;
            D::build(&select::list::<D>(&table, conditions, query)?)
        };
        let mut lease = self.shared.lease(Access::Read, statement.transaction()).await?;
        let rows = lease.fetch(&*table, sql.into(), values).await?;
        lease.finish().await?;
        let read: Result<Vec<_>, _> = rows.iter().map(|row| read_row::<D, R>(&table, row)).collect();
        Ok(ListSlice::new(&query.window, read?))
    }

    async fn count_rows(&self, statement: &mut Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        statement.restrict(filter)?;
        let table = self.shared.table(statement.definition())?;
        let (sql, values) = D::build(&select::count(&table, conditions::<D>(&table, statement, filter)?));
        let mut lease = self.shared.lease(Access::Read, statement.transaction()).await?;
        let rows = lease.fetch(&*table, sql.into(), values).await?;
        lease.finish().await?;
        let count = rows.first().map_or(Ok(0), |row| integer::<D>(row, 0))?;
        u64::try_from(count).map_err(StoreError::failed)
    }

    async fn insert_row<R: Entity + Serialize>(
        &self,
        statement: &mut Statement<'_, Self>,
        mut entity: R,
    ) -> Result<Versioned<R>, StoreError> {
        statement.prepare_insert(&mut entity)?;
        let table = self.shared.table(statement.definition())?;
        let version = Version::random();
        statement.set_version(&mut entity, version)?;
        let bound = insert::<D>(&table, &entity, version)?;
        let is_made = table.definition.identifier_kind() == IdentifierKind::Integer;
        let mut lease = self.shared.lease(Access::Write, statement.transaction()).await?;
        let identifier = if is_made {
            let rows = lease.fetch(&*table, bound.sql, bound.values).await;
            rows.map(|rows| rows.first().map(integer_of::<D>))
        } else {
            lease.execute(&*table, bound.sql, bound.values).await.map(|_| None)
        };
        let identifier = match identifier {
            Ok(identifier) => identifier.transpose()?,
            Err(failed) => return Err(failure::of_write(failed, &self.shared, &table, &entity, &mut lease).await),
        };
        lease.finish().await?;
        if let Some(identifier) = identifier {
            statement.set(&mut entity, table.definition.identifier(), identifier.into())?;
        }
        let version = self.inserted_version(statement, &table, &entity, version).await?;
        Ok(Versioned::new(entity, version))
    }

    async fn update_row<R: Entity + Serialize>(
        &self,
        statement: &mut Statement<'_, Self>,
        mut entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        statement.prepare_update(&mut entity)?;
        let table = self.shared.table(statement.definition())?;
        // One that counts would show a tenant how much others write.
        let version = Version::random();
        statement.set_version(&mut entity, version)?;
        let row = updated(&table, &entity, version)?;
        if table.version.is_none() {
            return self.update_locked(statement, &table, entity, row, expected).await;
        }
        let Some(place) = Place::of(&table, &entity) else { return Err(StoreError::NotFound) };
        let bound = place.update::<D>(row, expected);
        let mut lease = self.shared.lease(Access::Write, statement.transaction()).await?;
        let changed = match lease.execute(&*table, bound.sql, bound.values).await {
            Ok(changed) => changed,
            Err(failed) => return Err(failure::of_write(failed, &self.shared, &table, &entity, &mut lease).await),
        };
        if changed == 0 {
            return Err(self.missed(&mut lease, &table, &place, expected).await?);
        }
        lease.finish().await?;
        Ok(Versioned::new(entity, version))
    }

    async fn delete_row(
        &self,
        statement: &mut Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        statement.key(identifier)?;
        let table = self.shared.table(statement.definition())?;
        let Some(place) = Place::new(&table, identifier, statement.scope())? else { return Err(StoreError::NotFound) };
        if let Some(expected) = expected.filter(|_| table.version.is_none()) {
            return self.delete_locked(statement, &table, identifier, expected).await;
        }
        let bound = place.delete::<D>(expected);
        let mut lease = self.shared.lease(Access::Write, statement.transaction()).await?;
        let changed = match lease.execute(&*table, bound.sql, bound.values).await {
            Ok(changed) => changed,
            Err(failed) => return Err(failure::of_delete(failed, &self.shared, &table, &place, &mut lease).await),
        };
        if changed == 0 {
            return Err(self.missed(&mut lease, &table, &place, expected).await?);
        }
        lease.finish().await
    }

    /// Returns the reason why a statement found no row.
    async fn missed(
        &self,
        lease: &mut Lease<'_, D>,
        table: &Table,
        place: &Place<'_>,
        expected: Option<Version>,
    ) -> Result<StoreError, StoreError> {
        if expected.is_none() {
            return Ok(StoreError::NotFound);
        }
        let bound = place.exists::<D>();
        let rows = lease.fetch(table, bound.sql, bound.values).await?;
        Ok(if rows.is_empty() { StoreError::NotFound } else { StoreError::StaleVersion })
    }
}

/// Returns the conditions of a statement's scope and of a filter.
fn conditions<D: Dialect>(
    table: &Table,
    statement: &Statement<'_, DatabaseStore<D>>,
    filter: &Expression,
) -> Result<Vec<sea_query::SimpleExpr>, StoreError> {
    let mut conditions = condition::scope(table, statement.scope())?;
    match filter {
        Expression::All(all) => {
            for one in all {
                conditions.push(condition::expression::<D>(table, one)?);
            }
        }
        other => conditions.push(condition::expression::<D>(table, other)?),
    }
    Ok(conditions)
}

impl<D: Dialect> Clone for DatabaseStore<D> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<D: Dialect> fmt::Debug for DatabaseStore<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DatabaseStore").field("database", &D::NAME).finish_non_exhaustive()
    }
}
