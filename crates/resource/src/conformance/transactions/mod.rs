//! Transactions: all or nothing, unseen until they are committed, and in no one's way without notice.

mod atomicity;
mod conflicts;

use restwright_list::{Expression, Value};

use super::table::{Failure, Table, labelled};
use super::{Cases, Specimen};
use crate::entity::{Version, Versioned};
use crate::store::{Repository, Statement, Store};

pub(super) async fn run<S: Repository<Specimen>>(make_store: &impl AsyncFn() -> S, cases: &mut Cases) {
    atomicity::run(make_store, cases).await;
    conflicts::run(make_store, cases).await;
}

type Transaction<S> = <S as Store>::Transaction;

/// Statements within a transaction.
impl<S: Repository<Specimen>> Table<'_, S> {
    async fn insert_in(
        &self,
        transaction: &mut Transaction<S>,
        specimen: Specimen,
    ) -> Result<Versioned<Specimen>, Failure> {
        Ok(self.store.insert(self.within(transaction), specimen).await?)
    }

    async fn update_in(
        &self,
        transaction: &mut Transaction<S>,
        specimen: Specimen,
        expected: Option<Version>,
    ) -> Result<Versioned<Specimen>, Failure> {
        Ok(self.store.update(self.within(transaction), specimen, expected).await?)
    }

    async fn delete_in(&self, transaction: &mut Transaction<S>, id: impl Into<Value<'static>>) -> Result<(), Failure> {
        Ok(self.store.delete(self.within(transaction), &id.into(), None).await?)
    }

    async fn find_in(
        &self,
        transaction: &mut Transaction<S>,
        id: impl Into<Value<'static>>,
    ) -> Result<Option<Versioned<Specimen>>, Failure> {
        Ok(self.store.find(self.within(transaction), &id.into()).await?)
    }

    async fn count_in(&self, transaction: &mut Transaction<S>, filter: Expression) -> Result<u64, Failure> {
        Ok(self.store.count(self.within(transaction), &filter).await?)
    }

    fn within<'s>(&'s self, transaction: &'s mut Transaction<S>) -> Statement<'s, S> {
        self.statement().within(transaction)
    }
}

async fn begin<S: Repository<Specimen>>(store: &S) -> Result<Transaction<S>, Failure> {
    Ok(store.begin().await?)
}

async fn commit<S: Repository<Specimen>>(store: &S, transaction: Transaction<S>) -> Result<(), Failure> {
    Ok(store.commit(transaction).await?)
}

fn coded(code: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(code) }
}

fn relabelled(code: &str, label: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(label) }
}
