//! A store whose statements fail as a test specifies.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use restwright_resource::{Change, MemoryStore, Read, ReadResult, Row, Statement, Store, StoreError, Versioned};

/// A memory store. Each statement yields first, so the statements of concurrent requests alternate, and then fails with the next error, if there is
/// one.
#[derive(Clone, Default)]
pub(crate) struct FailingStore {
    inner: MemoryStore,
    errors: Arc<Mutex<VecDeque<StoreError>>>,
}

impl FailingStore {
    pub(crate) fn fail(&self, errors: impl IntoIterator<Item = StoreError>) {
        self.errors.lock().unwrap().extend(errors);
    }

    /// Returns the number of remaining errors.
    pub(crate) fn failures_left(&self) -> usize {
        self.errors.lock().unwrap().len()
    }

    async fn turn(&self) -> Result<(), StoreError> {
        tokio::task::yield_now().await;
        std::thread::yield_now();
        self.errors.lock().unwrap().pop_front().map_or(Ok(()), Err)
    }
}

impl Store for FailingStore {
    type Transaction = Infallible;
    type Connection = Infallible;

    fn connection(transaction: &mut Infallible) -> &mut Infallible {
        transaction
    }

    async fn begin(&self) -> Result<Infallible, StoreError> {
        Err(StoreError::failed("it has no transactions"))
    }

    async fn commit(&self, transaction: Infallible) -> Result<(), StoreError> {
        match transaction {}
    }

    async fn read(&self, statement: Statement<'_, Self>, read: Read<'_>) -> Result<ReadResult, StoreError> {
        self.turn().await?;
        self.inner.read(Statement::from_outer(&statement), read).await
    }

    async fn write(
        &self,
        statement: Statement<'_, Self>,
        change: Change,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        self.turn().await?;
        self.inner.write(Statement::from_outer(&statement), change).await
    }
}
