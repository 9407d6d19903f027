//! A store whose statements fail as a test specifies.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use restwright::list::{Expression, ListSlice, Uncounted, Value};
use restwright_resource::{
    Entity, ListQuery, MemoryStore, Repository, Statement, Store, StoreError, Version, Versioned,
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
}

fn inner<'s>(statement: &Statement<'s, FailingStore>) -> Statement<'s, MemoryStore> {
    Statement::from_outer(statement)
}

impl<R: Entity + Clone> Repository<R> for FailingStore {
    async fn find(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> Result<Option<Versioned<R>>, StoreError> {
        self.turn().await?;
        self.inner.find(inner(&statement), identifier).await
    }

    async fn list(
        &self,
        statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> Result<ListSlice<Versioned<R>, Uncounted>, StoreError> {
        self.turn().await?;
        self.inner.list(inner(&statement), query).await
    }

    async fn count(&self, statement: Statement<'_, Self>, filter: &Expression) -> Result<u64, StoreError> {
        self.turn().await?;
        Repository::<R>::count(&self.inner, inner(&statement), filter).await
    }

    async fn insert(&self, statement: Statement<'_, Self>, entity: R) -> Result<Versioned<R>, StoreError> {
        self.turn().await?;
        self.inner.insert(inner(&statement), entity).await
    }

    async fn update(
        &self,
        statement: Statement<'_, Self>,
        entity: R,
        expected: Option<Version>,
    ) -> Result<Versioned<R>, StoreError> {
        self.turn().await?;
        self.inner.update(inner(&statement), entity, expected).await
    }

    async fn delete(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> Result<(), StoreError> {
        self.turn().await?;
        Repository::<R>::delete(&self.inner, inner(&statement), identifier, expected).await
    }
}
