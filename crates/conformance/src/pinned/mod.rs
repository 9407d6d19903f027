//! Test cases with fixed expected results. The cases also run on [`MemoryStore`](restwright_resource::MemoryStore).

mod conflicts;
mod decimals;
mod deleted;
mod identity;
mod items;
mod lists;
mod per_key;
mod references;
mod related;
mod transactions;
mod values;
mod versions;

use restwright_resource::{Store, Transaction};

use super::table::{StoreFailure, labelled};
use super::{CaseResults, Specimen, Topic};

pub(super) async fn run<S: Store>(
    has: impl Fn(Topic) -> bool,
    make_store: &impl AsyncFn() -> S,
    cases: &mut CaseResults,
) {
    lists::run(make_store, cases).await;
    per_key::run(make_store, cases).await;
    values::run(make_store, cases).await;
    decimals::run(make_store, cases).await;
    items::run(make_store, cases).await;
    identity::run(make_store, cases).await;
    versions::run(make_store, cases).await;
    if has(Topic::References) {
        references::run(make_store, cases).await;
    }
    if has(Topic::DeletedEntities) {
        deleted::run(make_store, cases).await;
    }
    if has(Topic::Existence) {
        references::existence::run(make_store, cases).await;
        related::run(make_store, cases).await;
    }
    if has(Topic::Transactions) {
        transactions::run(make_store, cases).await;
        conflicts::run(make_store, cases).await;
    }
}

async fn begin(store: &dyn Store) -> Result<Transaction, StoreFailure> {
    Ok(store.begin().await?)
}

async fn commit(store: &dyn Store, transaction: Transaction) -> Result<(), StoreFailure> {
    Ok(store.commit(transaction).await?)
}

fn coded(code: &str) -> Specimen {
    relabelled(code, code)
}

fn relabelled(code: &str, label: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(label) }
}
