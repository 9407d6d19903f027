//! Stores on a database, with the names and methods of the stores in the memory tests.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::{Arc, Mutex};

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{
    Change, EntityDefinition, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Transaction, Versioned,
};
use restwright_sql::SqlStore;
use tokio::sync::OnceCell;

use super::database::{Database, DatabaseKind, start};

/// A store that counts its calls. A test can make its commits slow or let them fail.
#[derive(Clone)]
pub(crate) struct CountingStore(Arc<Inner>);

/// A store without transactions, whose statements fail as a test specifies.
#[derive(Clone)]
pub(crate) struct FailingStore(Arc<Inner>);

struct Inner {
    store: SqlStore,
    started: OnceCell<()>,
    state: Mutex<State>,
    /// `true` if statements fail with the errors of the test, instead of commits.
    fails_statements: bool,
    _database: Database,
}

#[derive(Default)]
struct State {
    calls: Vec<String>,
    errors: VecDeque<StoreError>,
}

impl Inner {
    fn new(kind: DatabaseKind, fails_statements: bool) -> Arc<Self> {
        let database = Database::open(kind);
        let store = database.store();
        Arc::new(Self {
            store,
            started: OnceCell::new(),
            state: Mutex::default(),
            fails_statements,
            _database: database,
        })
    }

    /// Returns the store. Creates its tables first.
    async fn store(&self) -> Result<&SqlStore, StoreError> {
        let started = self.started.get_or_try_init(async || start(&self.store).await);
        started.await.map_err(|error| StoreError::failed(error.to_string()))?;
        Ok(&self.store)
    }

    fn note(&self, call: &str, about: &str) {
        self.state.lock().unwrap().calls.push(format!("{call} {about}"));
    }

    fn fail(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.state.lock().unwrap().errors.extend(errors);
    }

    /// Returns the store for a statement, which is noted or fails.
    async fn next(&self, call: &str, definition: &EntityDefinition) -> Result<&SqlStore, StoreError> {
        if self.fails_statements {
            tokio::task::yield_now().await;
            self.next_error()?;
        } else {
            self.note(call, definition.name());
        }
        self.store().await
    }

    fn read<'a>(&'a self, mut statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let call = match read {
                Read::Find(_) => "find",
                Read::List { .. } => "list",
                Read::ListPerKey { .. } => "list_per_key",
                Read::Count(_) => "count",
                Read::Exists { .. } => "exists",
                _ => "any",
            };
            let store = self.next(call, statement.definition()).await?;
            let Read::List { query, is_counted: true } = read else {
                return store.read(statement, read).await;
            };
            let read = Read::List { query, is_counted: false };
            let mut result = store.read(statement.reborrow(), read).await?;
            let store = self.next("count", statement.definition()).await?;
            result.total = store.read(statement, Read::Count(&query.filter)).await?.total;
            Ok(result)
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let call = match change {
                Change::Insert(_) => "insert",
                Change::Update { .. } => "update",
                _ => "delete",
            };
            let store = self.next(call, statement.definition()).await?;
            store.write(statement, change).await
        })
    }

    fn next_error(&self) -> Result<(), StoreError> {
        self.state.lock().unwrap().errors.pop_front().map_or(Ok(()), Err)
    }
}

impl Default for CountingStore {
    fn default() -> Self {
        Self(Inner::new(DatabaseKind::selected(), false))
    }
}

impl Default for FailingStore {
    fn default() -> Self {
        Self(Inner::new(DatabaseKind::selected(), true))
    }
}

impl CountingStore {
    /// Creates a store on a database of this kind, regardless of the selected kind.
    pub(crate) fn on(kind: DatabaseKind) -> Self {
        Self(Inner::new(kind, false))
    }

    /// Returns `false`, because leaks are planted only in memory.
    #[expect(clippy::unused_self, reason = "the store in memory has a state")]
    pub(crate) fn shows_estimate(&self) -> bool {
        false
    }

    /// Returns the calls since the last time.
    pub(crate) fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.0.state.lock().unwrap().calls)
    }

    pub(crate) fn fail_commits(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.0.fail(errors);
    }
}

impl FailingStore {
    pub(crate) fn fail(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.0.fail(errors);
    }

    /// Returns the number of remaining errors.
    pub(crate) fn failures_left(&self) -> usize {
        self.0.state.lock().unwrap().errors.len()
    }
}

impl Store for CountingStore {
    fn has_transactions(&self) -> bool {
        true
    }

    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.0.store.plan(definition, context)
    }

    fn sorts_by_related(&self) -> bool {
        true
    }

    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        self.0.store.definition(name)
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        Box::pin(async move {
            self.0.note("begin", "");
            self.0.store().await?.begin().await
        })
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move {
            store.0.note("commit", "");
            store.0.next_error()?;
            store.0.store().await?.commit(transaction).await
        })
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        self.0.read(statement, read)
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        self.0.write(statement, change)
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        self.0.store.retries(error)
    }
}

impl Store for FailingStore {
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.0.store.plan(definition, context)
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        self.0.read(statement, read)
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        self.0.write(statement, change)
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        self.0.store.retries(error)
    }
}
