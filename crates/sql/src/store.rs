//! Defines [`DatabaseStore`], a store on SQLite or on PostgreSQL.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{EntityDefinition, StoreError};

use crate::connections::Connections;
use crate::dialect::Dialect;
use crate::mapping::TableMapping;
use crate::part::PartComponent;
use crate::per_transaction::Parameters;
use crate::progress::Progress;
use crate::rejections::Rejections;
use crate::replica::Replica;
use crate::schema::TableSchema;
use crate::settings::StoreSettings;
use crate::table::Table;
use crate::unreadable::UnreadableRows;

/// A store that keeps entities in database tables. `SqliteStore` and `PostgresStore` are aliases.
///
/// A clone is a handle to the same connections.
pub struct DatabaseStore<D: Dialect> {
    pub(crate) shared: SharedHandle<D>,
    /// The database parameters that transactions set for the caller of this handle.
    pub(crate) parameters: Option<Parameters>,
}

/// A handle to what all handles of a store share, as a trait object. A crate that drops it contains no code of the connections.
pub(crate) struct SharedHandle<D: Dialect>(Arc<dyn AnyShared<D>>);

trait AnyShared<D: Dialect>: Send + Sync {
    fn shared(&self) -> &Shared<D>;
}

impl<D: Dialect> AnyShared<D> for Shared<D> {
    fn shared(&self) -> &Self {
        self
    }
}

impl<D: Dialect> Deref for SharedHandle<D> {
    type Target = Shared<D>;

    fn deref(&self) -> &Shared<D> {
        self.0.shared()
    }
}

impl<D: Dialect> Clone for SharedHandle<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The connections and tables that all handles of a store share.
pub(crate) struct Shared<D: Dialect> {
    pub(crate) address: Address<D>,
    pub(crate) settings: Arc<StoreSettings>,
    pub(crate) connections: Connections<D>,
    /// The replica for stale reads.
    pub(crate) replica: Option<Replica<D>>,
    pub(crate) mappings: Vec<TableMapping>,
    /// The tables, by the name of their entity definition.
    pub(crate) tables: RwLock<BTreeMap<String, Arc<Table>>>,
    /// The tables without an entity definition, such as the table of idempotency keys.
    own_tables: RwLock<Vec<TableSchema>>,
    pub(crate) rejections: Rejections,
    pub(crate) unreadable: UnreadableRows,
    /// The step of the start.
    pub(crate) progress: Progress,
    /// The lists of the resources, by the name of their entity definition.
    pub(crate) lists: RwLock<BTreeMap<String, PlannedList>>,
}

/// The URL of a store's database, or the pool that connects to it.
pub(crate) enum Address<D: Dialect> {
    Url(String),
    /// The connection pool that the application passed to the store.
    Pool(sqlx::Pool<D::Database>),
}

impl<D: Dialect> Clone for Address<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Url(url) => Self::Url(url.clone()),
            Self::Pool(pool) => Self::Pool(pool.clone()),
        }
    }
}

/// The database and the settings of a store that is not built yet.
pub struct StorePlan<D: Dialect> {
    pub(crate) address: Address<D>,
    pub(crate) replica: Option<String>,
    pub(crate) settings: StoreSettings,
    pub(crate) mappings: Vec<TableMapping>,
}

/// Leaves out the URL, which may contain a password.
impl<D: Dialect> fmt::Debug for StorePlan<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StorePlan").finish_non_exhaustive()
    }
}

/// The ids of the stores that are already components of the Api.
#[derive(Default)]
struct RegisteredStores(Vec<usize>);

impl<D: Dialect> DatabaseStore<D> {
    /// Creates a store for the database at a URL. Connections open when the Api starts. Building the Api fails if the URL is invalid.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self::at(Address::Url(url.into()))
    }

    /// Creates a store that uses an existing connection pool. All workers share its connections.
    ///
    /// On PostgreSQL, sqlx pings a connection after each use, and also before each use unless `test_before_acquire(false)` is set. A store on a URL
    /// saves these two round trips.
    #[must_use]
    pub fn from_pool(pool: sqlx::Pool<D::Database>) -> Self {
        Self::at(Address::Pool(pool))
    }

    fn at(address: Address<D>) -> Self {
        let plan = StorePlan { address, replica: None, settings: StoreSettings::default(), mappings: Vec::new() };
        D::operations().assemble(plan)
    }

    /// Creates a store with these settings, without connections.
    pub(crate) fn assemble(plan: StorePlan<D>) -> Self {
        let StorePlan { address, replica, settings, mappings } = plan;
        let settings = Arc::new(settings);
        let open = |url: &str| Connections::new(D::options(url, &settings), Arc::clone(&settings));
        let connections = match &address {
            Address::Url(url) => open(url),
            Address::Pool(pool) => Connections::given(pool.clone(), Arc::clone(&settings)),
        };
        let replica = replica.map(|url| {
            let connections = open(&url);
            Replica::new(url, connections)
        });
        let (tables, own_tables, lists) = (RwLock::default(), RwLock::default(), RwLock::default());
        let (rejections, unreadable) = (Rejections::default(), UnreadableRows::default());
        let shared = Shared {
            address,
            settings,
            connections,
            replica,
            mappings,
            tables,
            own_tables,
            rejections,
            unreadable,
            progress: Progress::default(),
            lists,
        };
        Self { shared: SharedHandle(Arc::new(shared)), parameters: None }
    }

    /// Changes the settings of the store. Earlier clones keep their settings.
    pub(crate) fn set(self, change: impl FnOnce(&mut StorePlan<D>)) -> Self {
        let shared = &self.shared;
        let mut plan = StorePlan {
            address: shared.address.clone(),
            replica: shared.replica.as_ref().map(|replica| replica.url.clone()),
            settings: StoreSettings::clone(&shared.settings),
            mappings: shared.mappings.clone(),
        };
        change(&mut plan);
        D::operations().assemble(plan)
    }

    /// Returns a connection pool for custom SQL statements. A store from [`from_pool`](Self::from_pool) returns that pool. Any other store
    /// returns a separate pool per worker.
    ///
    /// The pool of a worker opens up to [`connections`](Self::connections) connections in addition to the connections of the store.
    ///
    /// # Errors
    /// The URL is invalid.
    pub fn pool(&self) -> Result<sqlx::Pool<D::Database>, StoreError> {
        self.shared.connections.pool()
    }

    /// Adds the table of an entity definition. This is needed only for entities without a resource in the Api.
    ///
    /// # Errors
    /// Another definition has the same name.
    pub fn declare(&self, definition: &EntityDefinition) -> Result<(), StoreError> {
        self.shared.table(definition).map(drop)
    }

    /// Registers the store as a component and checks its URLs.
    pub(crate) fn register(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let registered = &mut context.build_state::<RegisteredStores>().0;
        if !registered.contains(&self.id()) {
            registered.push(self.id());
            context.component(self.clone());
            PartComponent::all(self).into_iter().for_each(|part| context.component(part));
        }
        if self.shared.settings.caller_parameters.is_some() && !D::HAS_PARAMETERS {
            return Err(BuildErrors::one(format!(
                "`per_transaction` sets parameters of PostgreSQL, but {} has none; remove the call, or use a URL such as \
                 `postgres://user:password@localhost/animals`",
                D::NAME
            )));
        }
        let replica = self.shared.replica.as_ref().map(|replica| &replica.connections);
        let mut mistakes = std::iter::once(&self.shared.connections).chain(replica).filter_map(Connections::mistake);
        if let Some(mistake) = mistakes.next() {
            return Err(BuildErrors::one(format!(
                "the URL of the {} store is invalid: {mistake}; write for example `{}`",
                D::NAME,
                D::EXAMPLE
            )));
        }
        Ok(())
    }

    pub(crate) fn id(&self) -> usize {
        ptr::from_ref::<Shared<D>>(&self.shared).addr()
    }
}

impl<D: Dialect> Shared<D> {
    /// Returns the table of a definition. Adds the table if it is new.
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
            "two different definitions have the name `{}`; give them different names, or the same fields",
            definition.name()
        )))
    }

    pub(crate) fn find_table(&self, name: &str) -> Option<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn find_definition(&self, name: &str) -> Option<EntityDefinition> {
        self.find_table(name).map(|table| table.definition.clone())
    }

    fn add(&self, definition: &EntityDefinition) -> Result<Arc<Table>, StoreError> {
        for parent in definition.fields().filter_map(|field| field.parent_definition()) {
            self.table(parent)?;
        }
        let table = Arc::new(Table::new(definition, &self.mapping(definition.name())));
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(tables.entry(definition.name().to_owned()).or_insert(table)))
    }

    /// Returns the table mapping of an entity definition, or a default mapping.
    pub(crate) fn mapping(&self, definition: &str) -> TableMapping {
        let mapping = self.mappings.iter().find(|mapping| mapping.is_of(definition)).cloned();
        mapping.unwrap_or_else(|| TableMapping::new(definition))
    }

    /// Returns the tables of all entity definitions.
    pub(crate) fn all_tables(&self) -> Vec<Arc<Table>> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Adds a table without an entity definition.
    #[cfg(feature = "idempotency")]
    pub(crate) fn add_own_table(&self, table: TableSchema) {
        let mut tables = self.own_tables.write().unwrap_or_else(PoisonError::into_inner);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }

    /// Returns the tables without an entity definition.
    pub(crate) fn own_tables(&self) -> Vec<TableSchema> {
        self.own_tables.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<D: Dialect> Clone for DatabaseStore<D> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), parameters: self.parameters.clone() }
    }
}

impl<D: Dialect> fmt::Debug for DatabaseStore<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DatabaseStore").field("database", &D::NAME).finish_non_exhaustive()
    }
}
