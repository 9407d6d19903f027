//! The memory store with threads and concurrent transactions.

use std::sync::Barrier;
use std::thread;

use restwright_conformance::Specimen;
use restwright_list::{Comparison, Expression, ValueType};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, MemoryStore, OnDelete, Repository, Statement, Store, StoreError,
    Transaction, Versioned,
};
use tokio::runtime::{Builder, Runtime};

const THREADS: usize = 32;

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

fn texts() -> EntityDefinition {
    EntityDefinition::new("texts", "code", IdentifierKind::Given(ValueType::Text))
        .field(FieldDefinition::new("label", ValueType::Text))
        .field(FieldDefinition::new("email", ValueType::Text).nullable().unique())
        .field(FieldDefinition::new("category", ValueType::Text).nullable().references("texts", OnDelete::Restrict))
}

fn specimen(code: &str, label: &str) -> Specimen {
    let mut specimen = Specimen::default();
    (specimen.code, specimen.label) = (code.to_owned(), label.to_owned());
    specimen
}

fn mailed(code: &str, email: &str) -> Specimen {
    let mut specimen = specimen(code, code);
    specimen.email = Some(email.to_owned());
    specimen
}

fn referring(code: &str, category: &str) -> Specimen {
    let mut specimen = specimen(code, code);
    specimen.category = Some(category.to_owned());
    specimen
}

/// A store of strings.
struct Texts(MemoryStore, EntityDefinition);

impl Texts {
    fn new() -> Self {
        Self(MemoryStore::new(), texts())
    }

    fn statement<'s>(&'s self, transaction: Option<&'s mut Transaction>) -> Statement<'s> {
        let statement = Statement::new(&self.1);
        match transaction {
            Some(transaction) => statement.within(transaction),
            None => statement,
        }
    }

    async fn insert(&self, transaction: Option<&mut Transaction>, specimen: Specimen) -> Result<(), StoreError> {
        self.0.insert(self.statement(transaction), specimen).await.map(drop)
    }

    async fn get(&self, transaction: Option<&mut Transaction>, code: &str) -> Option<Versioned<Specimen>> {
        self.0.find(self.statement(transaction), &code.into()).await.unwrap()
    }

    async fn delete(&self, transaction: Option<&mut Transaction>, code: &str) -> Result<(), StoreError> {
        Repository::delete(&self.0, self.statement(transaction), &code.into(), None).await
    }

    async fn count(&self, transaction: Option<&mut Transaction>) -> u64 {
        let filter = Expression::condition("label", Comparison::IsNull(false));
        Repository::count(&self.0, self.statement(transaction), &filter).await.unwrap()
    }

    async fn begin(&self) -> Transaction {
        self.0.begin().await.unwrap()
    }

    async fn is_conflict(&self, transaction: Transaction) -> bool {
        matches!(self.0.commit(transaction).await, Err(error) if self.0.retries(&error))
    }
}

#[test]
fn a_transaction_passes_a_unique_value_from_one_entity_to_another() {
    let texts = Texts::new();
    runtime().block_on(async {
        for (code, email) in [("a", "1"), ("b", "2")] {
            texts.insert(None, mailed(code, email)).await.unwrap();
        }
        let mut transaction = texts.begin().await;
        for (code, email) in [("b", "3"), ("a", "2")] {
            let statement = texts.statement(Some(&mut transaction));
            texts.0.update(statement, mailed(code, email), None).await.unwrap();
        }
        texts.0.commit(transaction).await.unwrap();
        for (email, is_used) in [("1", false), ("2", true), ("3", true)] {
            let inserted = texts.insert(None, mailed(email, email)).await;
            assert_eq!(matches!(inserted, Err(StoreError::Conflict { .. })), is_used, "{email}");
        }
    });
}

#[test]
fn one_of_32_threads_succeeds_per_version() {
    let texts = Texts::new();
    runtime().block_on(texts.insert(None, specimen("a", "0"))).unwrap();
    let barrier = Barrier::new(THREADS);
    let won: Vec<usize> = thread::scope(|scope| {
        let run = || {
            let runtime = runtime();
            let mut won = 0;
            for _ in 0..50 {
                barrier.wait();
                let version = runtime.block_on(texts.get(None, "a")).unwrap().version;
                barrier.wait();
                let update = texts.0.update(texts.statement(None), specimen("a", "1"), Some(version));
                match runtime.block_on(update) {
                    Ok(_) => won += 1,
                    Err(error) => assert!(matches!(error, StoreError::StaleVersion), "{error}"),
                }
            }
            won
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(won.iter().sum::<usize>(), 50);
}

#[test]
fn transactions_of_32_threads_lose_no_increment() {
    let texts = Texts::new();
    runtime().block_on(texts.insert(None, specimen("a", "0"))).unwrap();
    let increment = async || {
        loop {
            let mut transaction = texts.begin().await;
            let found = texts.get(Some(&mut transaction), "a").await;
            let Some(found) = found else { continue };
            let next = found.entity.label.parse::<u32>().unwrap() + 1;
            let update = specimen("a", &next.to_string());
            let updated = texts.0.update(texts.statement(Some(&mut transaction)), update, None).await;
            let outcome = match updated {
                Ok(_) => texts.0.commit(transaction).await,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(()) => return,
                Err(error) => assert!(texts.0.retries(&error), "{error}"),
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                runtime().block_on(async {
                    for _ in 0..5 {
                        increment().await;
                    }
                })
            });
        }
    });
    let found = runtime().block_on(texts.get(None, "a")).unwrap();
    assert_eq!(found.entity.label, (THREADS * 5).to_string());
}

#[tokio::test]
async fn the_reads_of_a_transaction_must_still_be_valid_at_its_commit() {
    let texts = Texts::new();
    texts.insert(None, specimen("a", "a")).await.unwrap();

    let mut found = texts.begin().await;
    texts.get(Some(&mut found), "a").await.unwrap();
    let mut not_found = texts.begin().await;
    assert!(texts.get(Some(&mut not_found), "b").await.is_none());
    let mut counted = texts.begin().await;
    assert_eq!(texts.count(Some(&mut counted)).await, 1);
    let mut other = texts.begin().await;
    texts.insert(Some(&mut other), specimen("other", "other")).await.unwrap();

    texts.0.update(texts.statement(None), specimen("a", "changed"), None).await.unwrap();
    texts.insert(None, specimen("b", "b")).await.unwrap();
    assert!(texts.is_conflict(found).await);
    assert!(texts.is_conflict(not_found).await);
    assert!(texts.is_conflict(counted).await);
    texts.0.commit(other).await.unwrap();
}

#[tokio::test]
async fn a_second_read_of_a_changed_entity_fails_in_one_transaction() {
    let texts = Texts::new();
    texts.insert(None, specimen("a", "a")).await.unwrap();
    let mut transaction = texts.begin().await;
    texts.get(Some(&mut transaction), "a").await.unwrap();
    texts.delete(None, "a").await.unwrap();
    let again = Repository::find::<Specimen>(&texts.0, texts.statement(Some(&mut transaction)), &"a".into()).await;
    assert!(matches!(again, Err(StoreError::TransactionConflict)));
}

#[tokio::test]
async fn a_unique_value_that_was_taken_is_a_conflict_of_transactions() {
    let texts = Texts::new();
    let mut transaction = texts.begin().await;
    texts.insert(Some(&mut transaction), mailed("a", "mail")).await.unwrap();
    texts.insert(None, mailed("b", "mail")).await.unwrap();
    assert!(texts.is_conflict(transaction).await);
    assert!(texts.get(None, "a").await.is_none());
}

#[tokio::test]
async fn a_unique_value_that_was_freed_may_be_used() {
    let texts = Texts::new();
    texts.insert(None, mailed("a", "mail")).await.unwrap();
    let mut transaction = texts.begin().await;
    texts.delete(None, "a").await.unwrap();
    texts.insert(Some(&mut transaction), mailed("b", "mail")).await.unwrap();
    texts.0.commit(transaction).await.unwrap();
}

#[tokio::test]
async fn a_deleted_target_is_a_conflict_of_transactions() {
    let texts = Texts::new();
    texts.insert(None, specimen("target", "target")).await.unwrap();
    let mut transaction = texts.begin().await;
    texts.insert(Some(&mut transaction), referring("a", "target")).await.unwrap();
    texts.delete(None, "target").await.unwrap();
    assert!(texts.is_conflict(transaction).await);
}

#[tokio::test]
async fn a_new_reference_to_a_deleted_target_is_a_conflict_of_transactions() {
    let texts = Texts::new();
    texts.insert(None, specimen("target", "target")).await.unwrap();
    let mut transaction = texts.begin().await;
    texts.delete(Some(&mut transaction), "target").await.unwrap();
    texts.insert(None, referring("a", "target")).await.unwrap();
    assert!(texts.is_conflict(transaction).await);
    assert!(texts.get(None, "target").await.is_some());
}

#[tokio::test]
async fn a_transaction_may_delete_a_former_target() {
    let texts = Texts::new();
    let mut transaction = texts.begin().await;
    texts.insert(Some(&mut transaction), specimen("target", "target")).await.unwrap();
    texts.insert(Some(&mut transaction), referring("a", "target")).await.unwrap();
    texts.delete(Some(&mut transaction), "a").await.unwrap();
    texts.delete(Some(&mut transaction), "target").await.unwrap();
    texts.0.commit(transaction).await.unwrap();
    assert_eq!(texts.count(None).await, 0);
}

#[tokio::test]
async fn rejects_a_transaction_of_another_store() {
    let (first, second) = (Texts::new(), Texts::new());
    let mut transaction = first.begin().await;
    let inserted = second.insert(Some(&mut transaction), specimen("a", "a")).await;
    assert_eq!(
        inserted.unwrap_err().to_string(),
        "the store failed: the transaction belongs to another store; begin it on the store that runs the statement"
    );
    assert!(second.0.commit(transaction).await.is_err());
    let clone = Texts(first.0.clone(), texts());
    let mut transaction = first.begin().await;
    clone.insert(Some(&mut transaction), specimen("a", "a")).await.unwrap();
    clone.0.commit(transaction).await.unwrap();
    assert_eq!(first.count(None).await, 1);
}

#[tokio::test]
async fn one_name_has_one_definition_and_one_type() {
    let texts = Texts::new();
    texts.insert(None, specimen("a", "a")).await.unwrap();
    let other =
        Texts(texts.0.clone(), super::memory::texts().field(FieldDefinition::new("text", ValueType::Text).nullable()));
    let error = other.insert(None, specimen("b", "b")).await.unwrap_err().to_string();
    assert!(error.contains("two different definitions have the name `texts`"), "{error}");
}

#[test]
fn stores_and_their_futures_are_send() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let texts = Texts::new();
    drop(send(texts.insert(None, specimen("a", "a"))));
    drop(send(texts.0.begin()));
    drop(send(texts.0.clone()));
}
