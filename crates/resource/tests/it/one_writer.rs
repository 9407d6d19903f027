//! A store with one writer passes the same suite as a store with concurrent transactions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use restwright_list::{Expression, ListSlice, Uncounted, Value};
use restwright_resource::conformance::{Specimen, store_conformance};
use restwright_resource::{
    ListQuery, MemoryStore, MemoryTransaction, Repository, Statement, Store, StoreError, Version, Versioned,
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

    async fn exists(
        &self,
        mut statement: Statement<'_, Self>,
        id: &Value<'_>,
        condition: &Expression,
    ) -> Result<bool, StoreError> {
        self.inner.exists(inner(&mut statement), id, condition).await
    }

    async fn any(&self, mut statement: Statement<'_, Self>, condition: &Expression) -> Result<bool, StoreError> {
        self.inner.any(inner(&mut statement), condition).await
    }
}

impl Repository<Specimen> for OneWriter {
    async fn find(
        &self,
        mut statement: Statement<'_, Self>,
        id: &Value<'_>,
    ) -> Result<Option<Versioned<Specimen>>, StoreError> {
        self.inner.find(inner(&mut statement), id).await
    }

    async fn list(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<Specimen>, Uncounted>, StoreError> {
        self.inner.list(inner(&mut statement), query).await
    }

    async fn count(&self, mut statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        Repository::<Specimen>::count(&self.inner, inner(&mut statement), filter).await
    }

    async fn insert(
        &self,
        mut statement: Statement<'_, Self>,
        entity: Specimen,
    ) -> Result<Versioned<Specimen>, StoreError> {
        self.check(&mut statement)?;
        self.inner.insert(inner(&mut statement), entity).await
    }

    async fn update(
        &self,
        mut statement: Statement<'_, Self>,
        entity: Specimen,
        expected: Option<Version>,
    ) -> Result<Versioned<Specimen>, StoreError> {
        self.check(&mut statement)?;
        self.inner.update(inner(&mut statement), entity, expected).await
    }

    async fn delete(
        &self,
        mut statement: Statement<'_, Self>,
        id: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        self.check(&mut statement)?;
        Repository::<Specimen>::delete(&self.inner, inner(&mut statement), id, expected).await
    }
}
