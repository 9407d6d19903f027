//! A store with one writer passes the same suite as a store with concurrent transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use restwright_conformance::store_conformance;
use restwright_resource::{
    Change, MemoryStore, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Transaction, Versioned,
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
    inner: Transaction,
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
    fn check(&self, statement: &mut Statement<'_>) -> Result<(), StoreError> {
        match statement.transaction::<Writing>()?.is_none() && self.is_writing.load(Ordering::SeqCst) {
            true => Err(StoreError::unavailable("another transaction is open")),
            false => Ok(()),
        }
    }
}

/// Returns the same statement for the store inside.
fn inner(statement: Statement<'_>) -> Result<Statement<'_>, StoreError> {
    statement.map_transaction(|writing: &mut Writing| &mut writing.inner)
}

impl Store for OneWriter {
    fn has_transactions(&self) -> bool {
        true
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        Box::pin(async move {
            if self.is_writing.swap(true, Ordering::SeqCst) {
                return Err(StoreError::unavailable("another transaction is open"));
            }
            let open = Open(Arc::clone(&self.is_writing));
            Ok(Transaction::new(Writing { inner: self.inner.begin().await?, _open: open }))
        })
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move {
            let Writing { inner, _open } = transaction.into_inner()?;
            store.inner.commit(inner).await
        })
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move { self.inner.read(inner(statement)?, read).await })
    }

    fn write<'a>(&'a self, mut statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            self.check(&mut statement)?;
            self.inner.write(inner(statement)?, change).await
        })
    }
}
