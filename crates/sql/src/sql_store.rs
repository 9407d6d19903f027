//! Defines [`SqlStore`], a store on SQLite or PostgreSQL.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{
    Change, EntityDefinition, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Transaction, Versioned,
};

use crate::databases::{PostgresStore, SqliteStore};

/// A store on SQLite or PostgreSQL, depending on its URL.
///
/// Hooks write other entities through their context. They run their own statements in the transaction with
/// [`SqlStatements`](crate::SqlStatements).
///
/// ```
/// use restwright_sql::SqlStore;
///
/// let url = std::env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://animals.db".to_owned());
/// let store = SqlStore::new(url).migrate();
/// ```
#[derive(Clone)]
pub struct SqlStore(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

/// Runs the same code on the SQLite store or on the PostgreSQL store.
macro_rules! on {
    ($self:expr, $store:ident => $code:expr) => {
        match $self {
            Kind::Sqlite($store) => $code,
            Kind::Postgres($store) => $code,
        }
    };
}

impl SqlStore {
    /// Creates a store for the database at a URL. `postgres://` and `postgresql://` select PostgreSQL. `sqlite://` and a file path select SQLite.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self::at(url.into())
    }

    fn at(url: String) -> Self {
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        Self(if is_postgres { Kind::Postgres(PostgresStore::new(url)) } else { Kind::Sqlite(SqliteStore::new(url)) })
    }

    /// Returns the inner SQLite store, or `None` if this store uses PostgreSQL.
    #[must_use]
    pub fn sqlite(&self) -> Option<&SqliteStore> {
        if let Kind::Sqlite(store) = &self.0 { Some(store) } else { None }
    }

    /// Returns the inner PostgreSQL store, or `None` if this store uses SQLite.
    #[must_use]
    pub fn postgres(&self) -> Option<&PostgresStore> {
        if let Kind::Postgres(store) = &self.0 { Some(store) } else { None }
    }

    /// Adds the table of an entity definition, like [`DatabaseStore::declare`](crate::DatabaseStore::declare).
    ///
    /// # Errors
    /// Another definition has the same name.
    pub fn declare(&self, definition: &EntityDefinition) -> Result<(), StoreError> {
        on!(&self.0, store => store.declare(definition))
    }

    /// Returns the SQL that creates all tables and indexes, like [`DatabaseStore::ddl`](crate::DatabaseStore::ddl).
    #[must_use]
    pub fn ddl(&self) -> String {
        on!(&self.0, store => store.ddl())
    }

    /// Writes missing case-folded copies of strings, like [`DatabaseStore::fold_texts`](crate::DatabaseStore::fold_texts).
    ///
    /// # Errors
    /// The database is not reachable, or a statement fails.
    pub async fn fold_texts(&self) -> Result<u64, StoreError> {
        on!(&self.0, store => store.fold_texts().await)
    }

    pub(crate) fn inner(&self) -> &dyn Any {
        on!(&self.0, store => store)
    }

    /// Returns a copy of the store that sets the database parameters of `caller` in each transaction, like
    /// [`DatabaseStore::for_caller`](crate::DatabaseStore::for_caller).
    #[must_use]
    pub fn for_caller(&self, caller: &Identity) -> Self {
        self.clone().map(|store| store.for_caller(caller), |store| store.for_caller(caller))
    }

    pub(crate) fn map(
        self,
        sqlite: impl FnOnce(SqliteStore) -> SqliteStore,
        postgres: impl FnOnce(PostgresStore) -> PostgresStore,
    ) -> Self {
        Self(match self.0 {
            Kind::Sqlite(store) => Kind::Sqlite(sqlite(store)),
            Kind::Postgres(store) => Kind::Postgres(postgres(store)),
        })
    }
}

impl Store for SqlStore {
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        on!(&self.0, store => store.plan(definition, context))
    }

    fn plan_list(&self, definition: &EntityDefinition, list: &PlannedList) {
        on!(&self.0, store => store.plan_list(definition, list));
    }

    fn explain_list(&self, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
        on!(&self.0, store => store.explain_list(definition, list))
    }

    fn is_per_caller(&self) -> bool {
        on!(&self.0, store => store.is_per_caller())
    }

    fn for_caller(&self, caller: &Identity) -> Option<Arc<dyn Store>> {
        self.is_per_caller().then(|| Arc::new(Self::for_caller(self, caller)) as _)
    }

    fn sorts_by_related(&self) -> bool {
        true
    }

    fn may_change_values(&self, definition: &EntityDefinition) -> bool {
        on!(&self.0, store => store.may_change_values(definition))
    }

    fn has_definition(&self, name: &str) -> Option<bool> {
        on!(&self.0, store => store.has_definition(name))
    }

    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        on!(&self.0, store => store.definition(name))
    }

    fn has_transactions(&self) -> bool {
        true
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        on!(&self.0, store => store.begin())
    }

    fn begin_attempt(&self, attempt: u32) -> StoreFuture<'_, Transaction> {
        on!(&self.0, store => store.begin_attempt(attempt))
    }

    fn begin_change(&self, locks: bool) -> StoreFuture<'_, Option<Transaction>> {
        on!(&self.0, store => store.begin_change(locks))
    }

    fn is_committed(&self, transaction: &Transaction) -> bool {
        on!(&self.0, store => store.is_committed(transaction))
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        on!(&self.0, store => store.commit(transaction))
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        on!(&self.0, store => store.read(statement, read))
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        on!(&self.0, store => store.write(statement, change))
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        on!(&self.0, store => store.retries(error))
    }

    fn retries_inserts(&self) -> bool {
        on!(&self.0, store => store.retries_inserts())
    }
}

impl fmt::Debug for SqlStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        on!(&self.0, store => store.fmt(formatter))
    }
}
