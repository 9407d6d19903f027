//! Runs the conformance suite on the stores of this crate and on faulty stores.

use std::collections::BTreeSet;

use restwright_conformance::{Conformance, Topic, definitions, store_conformance};
use restwright_list::Expression;
use restwright_resource::{
    Change, MemoryStore, Read, ReadResult, Row, Statement, Store, StoreFuture, Transaction, Versioned,
};

use super::map_store::MapStore;

#[tokio::test]
async fn the_memory_store_conforms() {
    let cases = store_conformance(async || MemoryStore::new()).await.unwrap();
    println!("{} cases", cases.len());
    assert!(cases.len() >= 60);
    let names: BTreeSet<_> = cases.iter().collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
}

#[tokio::test]
async fn a_custom_store_conforms() {
    let suite = Conformance::new()
        .without(Topic::Transactions)
        .without(Topic::References)
        .without(Topic::DeletedEntities)
        .without(Topic::Existence);
    suite.run(async || MapStore::default()).await.unwrap();
}

#[tokio::test]
async fn a_store_fails_topics_that_it_does_not_leave_out() {
    let failed = store_conformance(async || MapStore::default()).await.unwrap_err();
    let topics: BTreeSet<_> = failed.iter().map(|(name, _)| name.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(
        topics,
        BTreeSet::from(
            ["deleted entities", "existence", "random steps", "references", "transactions"].map(str::to_owned)
        )
    );
    assert!(
        failed.to_string().contains("\n- transactions: a transaction sees its own changes: a statement failed"),
        "{failed}"
    );
}

#[test]
fn the_definitions_of_the_suite_are_valid() {
    for definition in definitions() {
        assert_eq!(definition.check(), Ok(()), "{}", definition.name());
    }
}

/// A fault in a store.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    ForgetsScope,
    IgnoresVersion,
    RetriesNothing,
    CountsAll,
}

#[tokio::test]
async fn each_fault_fails_its_case() {
    let expected = [
        (Mistake::ForgetsScope, "identity: a statement sees only its scope"),
        (Mistake::IgnoresVersion, "versions: a stale version changes nothing"),
        (Mistake::RetriesNothing, "transactions: conflicts are retried"),
        (Mistake::CountsAll, "lists: filters compare strings by code point"),
    ];
    for (mistake, case) in expected {
        let failed = store_conformance(async || Wrong(MemoryStore::new(), mistake)).await.unwrap_err();
        assert!(failed.iter().any(|(name, _)| name == case), "{mistake:?}: {failed}");
    }
}

/// A store with a fault.
#[derive(Clone)]
struct Wrong(MemoryStore, Mistake);

impl Wrong {
    /// Returns the same statement for the store inside.
    fn inner<'s>(&self, statement: Statement<'s>) -> Statement<'s> {
        if matches!(self.1, Mistake::ForgetsScope) { Statement::new(statement.definition()) } else { statement }
    }
}

impl Store for Wrong {
    fn has_transactions(&self) -> bool {
        true
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        Box::pin(async move { self.0.begin().await })
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move { store.0.commit(transaction).await })
    }

    fn retries(&self, error: &(dyn std::error::Error + 'static)) -> bool {
        !matches!(self.1, Mistake::RetriesNothing) && self.0.retries(error)
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let all = Expression::TRUE;
            let (read, extra) = match read {
                Read::Count(_) if matches!(self.1, Mistake::CountsAll) => (Read::Count(&all), 0),
                Read::List { .. } if matches!(self.1, Mistake::CountsAll) => (read, 1),
                read => (read, 0),
            };
            let mut result = self.0.read(self.inner(statement), read).await?;
            result.total += extra;
            Ok(result)
        })
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let change = match change {
                Change::Update { row, .. } if matches!(self.1, Mistake::IgnoresVersion) => {
                    Change::Update { row, expected: None }
                }
                change => change,
            };
            self.0.write(self.inner(statement), change).await
        })
    }
}
