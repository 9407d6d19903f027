//! A store whose statements fail as a test specifies.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use restwright_resource::{
    Change, MemoryStore, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Versioned,
};

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
    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            self.turn().await?;
            self.inner.read(statement, read).await
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            self.turn().await?;
            self.inner.write(statement, change).await
        })
    }
}
