//! Test cases for conflicts between concurrent transactions.

use std::cell::Cell;

use restwright_core::Problem;
use restwright_core::http::StatusCode;
use restwright_resource::{Repository, Store, StoreError, Transaction, Versioned};

use super::{begin, coded, commit, relabelled};
use crate::specimen::texts;
use crate::table::{StoreFailure, TestTable};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "transactions";
    increments_are_not_lost,
    one_of_two_concurrent_inserts_of_a_value_succeeds,
    an_update_of_a_concurrently_deleted_entity_fails,
    conflicts_are_retried,
    other_failures_are_not_retried,
    work_runs_again_after_a_conflict,
    work_that_fails_changes_nothing,
);

/// Begins a second transaction while another transaction is open. Returns `None` if the store allows only one open transaction.
async fn begin_second(store: &dyn Store) -> Result<Option<Transaction>, StoreFailure> {
    match begin(store).await {
        Ok(transaction) => Ok(Some(transaction)),
        Err(StoreFailure::Unavailable) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Commits a transaction if its last statement succeeded. Otherwise drops the transaction, because an open transaction blocks others.
async fn finish<T>(
    store: &dyn Store,
    transaction: Transaction,
    last: Result<T, StoreFailure>,
) -> Result<(), StoreFailure> {
    match last {
        Ok(_) => commit(store, transaction).await,
        Err(failure) => {
            drop(transaction);
            Err(failure)
        }
    }
}

/// Updates the entity `a` in a transaction. The new label is the number in the label of `read`, plus one.
async fn increment(
    table: &TestTable<'_>,
    transaction: &mut Transaction,
    read: &Versioned<Specimen>,
) -> Result<(), StoreFailure> {
    let next = read.entity.label.parse::<u32>().map_or(0, |number| number + 1);
    table.update_in(transaction, relabelled("a", &next.to_string()), None).await.map(drop)
}

/// Checks that no update is lost if two transactions read the same entity and then update it. If a transaction fails, its error must be an
/// error that the store retries.
async fn increments_are_not_lost(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    table.insert(relabelled("a", "0")).await?;
    let mut first = begin(store).await?;
    let read = table.find_in(&mut first, "a").await?.ok_or(StoreFailure::NotFound)?;
    let begun = match begin_second(store).await? {
        Some(mut second) => Some((table.find_in(&mut second, "a").await?.ok_or(StoreFailure::NotFound)?, second)),
        None => None,
    };
    let written = increment(&table, &mut first, &read).await;
    let one = finish(store, first, written).await;
    let (read, mut second) = match begun {
        Some(begun) => begun,
        None => {
            let mut second = begin(store).await?;
            (table.find_in(&mut second, "a").await?.ok_or(StoreFailure::NotFound)?, second)
        }
    };
    let written = increment(&table, &mut second, &read).await;
    let two = finish(store, second, written).await;
    let increments = [&one, &two].into_iter().filter(|outcome| outcome.is_ok()).count();
    ensure(increments > 0, "at least one transaction must succeed")?;
    table.holds(&[&increments.to_string()]).await
}

async fn one_of_two_concurrent_inserts_of_a_value_succeeds(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    let mut first = begin(store).await?;
    equal(table.find_in(&mut first, "a").await?, None)?;
    let mut begun = begin_second(store).await?;
    if let Some(second) = &mut begun {
        equal(table.find_in(second, "a").await?, None)?;
    }
    let inserted = table.insert_in(&mut first, relabelled("a", "1")).await;
    let one = finish(store, first, inserted).await;
    let mut second = match begun {
        Some(second) => second,
        None => begin(store).await?,
    };
    let inserted = table.insert_in(&mut second, relabelled("a", "2")).await;
    let two = finish(store, second, inserted).await;
    ensure(one.is_ok() != two.is_ok(), "exactly one transaction must succeed")?;
    table.holds(&[if one.is_ok() { "1" } else { "2" }]).await
}

async fn an_update_of_a_concurrently_deleted_entity_fails(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.find_in(&mut transaction, "a").await?;
    let deleted = table.delete("a", None).await;
    let updated = table.update_in(&mut transaction, relabelled("a", "b"), None).await;
    let updated = finish(store, transaction, updated).await;
    ensure(deleted.is_ok() != updated.is_ok(), "exactly one transaction must succeed")?;
    table.holds(if deleted.is_ok() { &[] } else { &["b"] }).await
}

async fn conflicts_are_retried(store: &dyn Store) -> CaseResult {
    ensure(store.retries(&StoreError::TransactionConflict), "a conflict of transactions must be retried")?;
    let caused = StoreError::failed(StoreError::TransactionConflict);
    ensure(store.retries(&caused), "an error caused by a conflict of transactions must be retried")?;
    let table = TestTable::new(store, texts());
    table.insert(relabelled("a", "0")).await?;
    let mut first = begin(store).await?;
    let read = table.find_in(&mut first, "a").await?.ok_or(StoreFailure::NotFound)?;
    let begun = begin_second(store).await?;
    let Some(mut second) = begun else {
        // With one writer there is no conflict. The next transaction reads the values that the first transaction wrote.
        table.update_in(&mut first, relabelled("a", "1"), Some(read.version)).await?;
        commit(store, first).await?;
        let mut second = begin(store).await?;
        let read = table.find_in(&mut second, "a").await?.ok_or(StoreFailure::NotFound)?;
        increment(&table, &mut second, &read).await?;
        commit(store, second).await?;
        return table.holds(&["2"]).await;
    };
    table.find_in(&mut second, "a").await?;
    let written = increment(&table, &mut first, &read).await;
    match &written {
        Ok(()) => ensure(commit(store, first).await.is_ok(), "the first transaction must commit")?,
        Err(_) => drop(first),
    }
    let outcome = match store.update(table.within(&mut second), relabelled("a", "2"), None).await {
        Ok(_) => store.commit(second).await,
        Err(error) => Err(error),
    };
    match outcome {
        Err(error) if written.is_ok() => ensure(store.retries(&error), &format!("`{error}` must be retried")),
        Ok(()) if written.is_ok() => Err("the update of the first transaction was lost".to_owned()),
        _ => Ok(()),
    }
}

async fn other_failures_are_not_retried(store: &dyn Store) -> CaseResult {
    let others = [StoreError::NotFound, StoreError::StaleVersion, StoreError::conflict("a"), StoreError::failed("a")];
    let retried = others.iter().find(|error| store.retries(*error));
    retried.map_or(Ok(()), |error| Err(format!("`{error}` must not be retried")))
}

/// Increments the number in the label of an entity. Errors have the type of application errors.
async fn add_one(table: &TestTable<'_>, transaction: &mut Transaction) -> Result<(), Problem> {
    let found =
        table.store.find::<Specimen>(table.within(transaction), &"a".into()).await.map_err(Problem::internal)?;
    let number = found.and_then(|found| found.entity.label.parse::<u32>().ok()).unwrap_or_default();
    let next = relabelled("a", &(number + 1).to_string());
    table.store.update(table.within(transaction), next, None).await.map(drop).map_err(Problem::internal)
}

async fn work_runs_again_after_a_conflict(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    table.insert(relabelled("a", "0")).await?;
    let (runs, others) = (Cell::new(0_u32), Cell::new(false));
    let work = async |transaction: &mut Transaction| {
        runs.set(runs.get() + 1);
        store.find::<Specimen>(table.within(transaction), &"a".into()).await.map_err(Problem::internal)?;
        if runs.get() == 1 {
            // Fails in a store with one writer.
            others.set(table.update(relabelled("a", "5"), None).await.is_ok());
        }
        add_one(&table, transaction).await
    };
    store.transaction(work).await.map_err(|problem| problem.to_string())?;
    let (runs, label) = if others.get() { ((runs.get(), 2), "6") } else { ((runs.get(), 1), "1") };
    equal(runs.0, runs.1)?;
    table.holds(&[label]).await
}

async fn work_that_fails_changes_nothing(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    table.insert(relabelled("a", "0")).await?;
    let work = async |transaction: &mut Transaction| {
        add_one(&table, transaction).await?;
        Err::<(), _>(Problem::not_found("nothing"))
    };
    let outcome = store.transaction(work).await;
    ensure(
        outcome.is_err_and(|problem| problem.status() == StatusCode::NOT_FOUND),
        "the error of the work must be returned",
    )?;
    table.holds(&["0"]).await
}
