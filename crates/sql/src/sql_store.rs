//! Defines [`SqlStore`], a store on SQLite or PostgreSQL.

use std::error::Error;
use std::fmt;

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{Change, EntityDefinition, Read, ReadResult, Row, Statement, Store, StoreError, Versioned};

use crate::any_transaction::{AnyTransaction, TransactionKind};
use crate::databases::{PostgresStore, SqliteStore};

/// A store on SQLite or PostgreSQL, depending on its URL.
///
/// Hooks write other entities through their context. They can also run sea-query statements on the [`AnyTransaction`]. For hooks in the SQL of one
/// database, use [`SqliteStore`] or [`PostgresStore`].
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

/// Converts a statement on the [`SqlStore`] to a statement on the inner store.
fn inner<'s, S: Store>(
    statement: &'s mut Statement<'_, SqlStore>,
    of_kind: impl FnOnce(&'s mut AnyTransaction) -> Option<&'s mut S::Transaction>,
) -> Result<Statement<'s, S>, StoreError> {
    let inner = Statement::from_outer(statement);
    let Some(transaction) = statement.transaction() else { return Ok(inner) };
    let within = of_kind(transaction).map(|transaction| inner.within(transaction));
    within.ok_or_else(|| StoreError::failed("the transaction belongs to another store"))
}

/// Runs a statement on the inner store.
macro_rules! delegate {
    ($self:expr, $statement:expr, |$store:ident, $inner:ident| $code:expr) => {
        match &$self.0 {
            Kind::Sqlite($store) => {
                let $inner = inner::<SqliteStore>(&mut $statement, AnyTransaction::of_sqlite)?;
                $code.await
            }
            Kind::Postgres($store) => {
                let $inner = inner::<PostgresStore>(&mut $statement, AnyTransaction::of_postgres)?;
                $code.await
            }
        }
    };
}

impl Store for SqlStore {
    type Transaction = AnyTransaction;
    type Connection = AnyTransaction;

    fn connection(transaction: &mut AnyTransaction) -> &mut AnyTransaction {
        transaction
    }

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

    fn for_caller(&self, caller: &Identity) -> Self {
        self.clone().map(|store| store.for_caller(caller), |store| store.for_caller(caller))
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

    async fn begin(&self) -> Result<AnyTransaction, StoreError> {
        Ok(AnyTransaction(match &self.0 {
            Kind::Sqlite(store) => TransactionKind::Sqlite(store.begin().await?),
            Kind::Postgres(store) => TransactionKind::Postgres(store.begin().await?),
        }))
    }

    async fn begin_attempt(&self, attempt: u32) -> Result<AnyTransaction, StoreError> {
        Ok(AnyTransaction(match &self.0 {
            Kind::Sqlite(store) => TransactionKind::Sqlite(store.begin_attempt(attempt).await?),
            Kind::Postgres(store) => TransactionKind::Postgres(store.begin_attempt(attempt).await?),
        }))
    }

    async fn begin_change(&self, locks: bool) -> Result<Option<AnyTransaction>, StoreError> {
        let begun = match &self.0 {
            Kind::Sqlite(store) => store.begin_change(locks).await?.map(TransactionKind::Sqlite),
            Kind::Postgres(store) => store.begin_change(locks).await?.map(TransactionKind::Postgres),
        };
        Ok(begun.map(AnyTransaction))
    }

    fn is_committed(transaction: &AnyTransaction) -> bool {
        match &transaction.0 {
            TransactionKind::Sqlite(transaction) => transaction.is_committed(),
            TransactionKind::Postgres(transaction) => transaction.is_committed(),
        }
    }

    async fn commit(&self, transaction: AnyTransaction) -> Result<(), StoreError> {
        match (&self.0, transaction.0) {
            (Kind::Sqlite(store), TransactionKind::Sqlite(transaction)) => store.commit(transaction).await,
            (Kind::Postgres(store), TransactionKind::Postgres(transaction)) => store.commit(transaction).await,
            _ => Err(StoreError::failed("the transaction belongs to another store")),
        }
    }

    async fn read(&self, mut statement: Statement<'_, Self>, read: Read<'_>) -> Result<ReadResult, StoreError> {
        delegate!(self, statement, |store, inner| store.read(inner, read))
    }

    async fn write(
        &self,
        mut statement: Statement<'_, Self>,
        change: Change,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        delegate!(self, statement, |store, inner| store.write(inner, change))
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
