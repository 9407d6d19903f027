//! A store with one writer passes the same suite as a store with concurrent transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use restwright_resource::conformance::store_conformance;
use restwright_resource::{
    Change, MemoryStore, MemoryTransaction, Read, ReadResult, Row, Statement, Store, StoreError, Versioned,
};

#[tokio::test]
async fn a_store_with_one_writer_conforms() {
    store_conformance(async || OneWriter::default()).await.unwrap();
}

/// A memory store. While a transaction is open, no other one begins and nothing else is written.
#[derive(Clone, Default)]
struct OneWriter {
    inner: MemoryStore,
    is_writing: Arc<AtomicBool>,
}

struct Writing {
    inner: MemoryTransaction,
    _open: Open,
}

/// Allows other writes when it is dropped.
struct Open(Arc<AtomicBool>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl OneWriter {
    fn check(&self, statement: &mut Statement<'_, Self>) -> Result<(), StoreError> {
        match statement.transaction().is_none() && self.is_writing.load(Ordering::SeqCst) {
            true => Err(StoreError::unavailable("another transaction is open")),
            false => Ok(()),
        }
    }
}

/// Returns the same statement for the store inside.
fn inner<'s>(statement: &'s mut Statement<'_, OneWriter>) -> Statement<'s, MemoryStore> {
    let inner = Statement::from_outer(statement);
    match statement.transaction() {
        Some(transaction) => inner.within(&mut transaction.inner),
        None => inner,
    }
}

impl Store for OneWriter {
    type Transaction = Writing;
    type Connection = Writing;

    fn connection(transaction: &mut Writing) -> &mut Writing {
        transaction
    }

    async fn begin(&self) -> Result<Writing, StoreError> {
        if self.is_writing.swap(true, Ordering::SeqCst) {
            return Err(StoreError::unavailable("another transaction is open"));
        }
        let open = Open(Arc::clone(&self.is_writing));
        Ok(Writing { inner: self.inner.begin().await?, _open: open })
    }

    async fn commit(&self, transaction: Writing) -> Result<(), StoreError> {
        self.inner.commit(transaction.inner).await
    }

    async fn read(&self, mut statement: Statement<'_, Self>, read: Read<'_>) -> Result<ReadResult, StoreError> {
        self.inner.read(inner(&mut statement), read).await
    }

    async fn write(
        &self,
        mut statement: Statement<'_, Self>,
        change: Change,
    ) -> Result<Option<Versioned<Row>>, StoreError> {
        self.check(&mut statement)?;
        self.inner.write(inner(&mut statement), change).await
    }
}
