//! Defines [`SqlStore`], a store on SQLite or PostgreSQL.

mod component;
mod part;
mod per_caller;
mod progress;
mod replica;
mod setters;
mod unreadable;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{EntityDefinition, Store, StoreError};

use self::part::PartComponent;
use self::progress::Progress;
use self::replica::Replica;
use self::unreadable::UnreadableRows;
use crate::connections::{Connections, Pool};
use crate::dialect::Dialect;
use crate::driver::Database;
use crate::settings::{Parameters, StoreSettings};
use crate::table::{Rejections, Table, TableMapping};
#[cfg(feature = "sqlite")]
use crate::transactions::Lease;
use crate::wanted::TableSchema;

pub(crate) use progress::Step;
pub(crate) use unreadable::wider;

/// A store on SQLite or PostgreSQL.
///
/// Hooks write other entities through their context. They run their own statements in the transaction with
/// [`SqlStatements`](crate::SqlStatements). A clone is a handle to the same connections.
///
/// ```
/// use restwright_sql::SqlStore;
///
/// let url = std::env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://animals.db".to_owned());
/// let store = SqlStore::new(url).migrate();
/// ```
#[derive(Clone)]
pub struct SqlStore {
    pub(crate) shared: Arc<Shared>,
    /// The database parameters that transactions set for the caller of this handle.
    pub(crate) parameters: Option<Parameters>,
}

/// The connections and tables that all handles of a store share.
pub(crate) struct Shared {
    pub(crate) address: Address,
    pub(crate) settings: Arc<StoreSettings>,
    pub(crate) connections: Connections,
    /// The replica for stale reads.
    pub(crate) replica: Option<Replica>,
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
#[derive(Clone)]
pub(crate) enum Address {
    Url(String),
    /// The connection pool that the application passed to the store.
    Pool(Pool),
}

/// The database and the settings of a store that is not built yet.
pub(crate) struct StorePlan {
    pub(crate) address: Address,
    pub(crate) replica: Option<String>,
    pub(crate) settings: StoreSettings,
    pub(crate) mappings: Vec<TableMapping>,
}

/// The ids of the stores that are already components of the Api.
#[derive(Default)]
struct RegisteredStores(Vec<usize>);

impl SqlStore {
    /// Creates a store for the database at a URL. `postgres://` and `postgresql://` select PostgreSQL. `sqlite://` and a file path select SQLite.
    ///
    /// Connections open when the Api starts. Building the Api fails if the URL is invalid, or if it names a database whose feature is off.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        let database = Database::of(&url);
        Self::at(Address::Url(url), database)
    }

    /// Creates a store on PostgreSQL that uses an existing connection pool. All workers share its connections.
    ///
    /// sqlx pings a connection after each use, and also before each use unless `test_before_acquire(false)` is set. A store on a URL saves these two
    /// round trips.
    #[cfg(feature = "postgres")]
    #[must_use]
    pub fn from_postgres_pool(pool: sqlx::PgPool) -> Self {
        Self::at(Address::Pool(Pool::Postgres(pool)), Database::Postgres)
    }

    fn at(address: Address, database: Database) -> Self {
        let settings = StoreSettings::new(Dialect::of(database));
        Self::assemble(StorePlan { address, replica: None, settings, mappings: Vec::new() })
    }

    /// Creates a store with these settings, without connections.
    fn assemble(plan: StorePlan) -> Self {
        let StorePlan { address, replica, settings, mappings } = plan;
        let settings = Arc::new(settings);
        let open = |url: &str| Connections::new(url, Arc::clone(&settings));
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
        Self { shared: Arc::new(shared), parameters: None }
    }

    /// Changes the settings of the store. Earlier clones keep their settings.
    pub(crate) fn set(self, change: impl FnOnce(&mut StorePlan)) -> Self {
        let shared = &self.shared;
        let mut plan = StorePlan {
            address: shared.address.clone(),
            replica: shared.replica.as_ref().map(|replica| replica.url.clone()),
            settings: StoreSettings::clone(&shared.settings),
            mappings: shared.mappings.clone(),
        };
        change(&mut plan);
        Self::assemble(plan)
    }

    /// Returns the database of the store.
    #[must_use]
    pub fn database(&self) -> Database {
        self.dialect().database
    }

    pub(crate) fn dialect(&self) -> &'static Dialect {
        self.shared.settings.dialect
    }

    /// Checks that a store is on a database. Hooks in the SQL of one database call it in
    /// [`Hooks::check`](restwright_resource::Hooks::check).
    ///
    /// ```
    /// # #[cfg(all(feature = "postgres", feature = "sqlite"))] {
    /// use restwright_sql::{Database, SqlStore};
    ///
    /// assert!(SqlStore::check(&SqlStore::new("postgres://localhost/shelter"), Database::Postgres).is_ok());
    /// let error = SqlStore::check(&SqlStore::new("sqlite::memory:"), Database::Postgres).unwrap_err();
    /// assert_eq!(error, "they use PostgreSQL, but the store is not on PostgreSQL; use a store on PostgreSQL, or other hooks");
    /// # }
    /// ```
    ///
    /// # Errors
    /// The store is on another database, or is no store of this crate.
    pub fn check(store: &dyn Store, database: Database) -> Result<(), String> {
        if Self::of(store).is_some_and(|store| store.database() == database) {
            return Ok(());
        }
        let name = database.name();
        Err(format!("they use {name}, but the store is not on {name}; use a store on {name}, or other hooks"))
    }

    /// Returns `store` if it is a store of this crate.
    pub(crate) fn of(store: &dyn Store) -> Option<&Self> {
        (store as &dyn Any).downcast_ref()
    }

    /// Runs custom SQL on a connection of rusqlite, and returns what `run` returns.
    ///
    /// The code runs on a thread for blocking work, for at most [`statement_timeout`](Self::statement_timeout). A transaction that it leaves open is
    /// rolled back. Up to [`connections`](Self::connections) calls run at the same time, on connections in addition to the connections of the store. A database
    /// in memory has a single connection, so a call waits for the statements of the store. Other code uses the connection later, so `run` leaves its pragmas,
    /// handlers and hooks as they are.
    ///
    /// ```
    /// # async fn count(store: &restwright_sql::SqlStore) -> Result<i64, restwright_resource::StoreError> {
    /// store.with_sqlite(|connection| connection.query_row("SELECT count(*) FROM animals", [], |row| row.get(0))).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// `run` failed, no connection was free in time, the URL is invalid, or the store is not on SQLite.
    #[cfg(feature = "sqlite")]
    pub async fn with_sqlite<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let held = self.shared.connections.other_sqlite().await?;
        let ran = Lease::on(held, &self.shared.settings).with_sqlite(run).await;
        Ok(ran?)
    }

    /// Returns a connection pool for custom SQL statements on PostgreSQL. A store from [`from_postgres_pool`](Self::from_postgres_pool) returns
    /// that pool. Any other store returns a separate pool per worker.
    ///
    /// The pool of a worker opens up to [`connections`](Self::connections) connections in addition to the connections of the store.
    ///
    /// # Errors
    /// The URL is invalid, or the store is not on PostgreSQL.
    #[cfg(feature = "postgres")]
    pub fn postgres_pool(&self) -> Result<sqlx::PgPool, StoreError> {
        match self.shared.connections.pool()? {
            Pool::Postgres(pool) => Ok(pool),
            #[cfg(feature = "sqlite")]
            Pool::Sqlite(_) => Err(StoreError::failed("the store is on SQLite; call `with_sqlite`")),
        }
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
        let replica = self.shared.replica.as_ref().map(|replica| &replica.connections);
        let mut mistakes = std::iter::once(&self.shared.connections).chain(replica).filter_map(Connections::mistake);
        if let Some(mistake) = mistakes.next() {
            return Err(BuildErrors::one(format!(
                "the URL of the {} store is invalid: {mistake}; write for example `{}`",
                self.dialect().name(),
                self.dialect().example
            )));
        }
        if self.shared.settings.caller_parameters.is_some() && !self.dialect().has_parameters {
            return Err(BuildErrors::one(format!(
                "`per_transaction` sets parameters of PostgreSQL, but {} has none; remove the call, or use a URL such as \
                 `postgres://user:password@localhost/animals`",
                self.dialect().name()
            )));
        }
        Ok(())
    }

    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.shared).addr()
    }
}

impl Shared {
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
        let table = Arc::new(Table::new(self.settings.dialect, definition, &self.mapping(definition.name())));
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

impl fmt::Debug for SqlStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlStore").field("database", &self.database()).finish_non_exhaustive()
    }
}
