//! Test cases for transactions. They include isolation and rollback.

use restwright_list::{Comparison, Expression};
use restwright_resource::Store;

use super::{begin, coded, commit, relabelled};
use crate::specimen::{integers, owners, pets, texts, values};
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "transactions";
    the_store_says_that_it_has_transactions,
    a_transaction_sees_its_own_changes,
    uncommitted_changes_are_invisible_to_others,
    a_dropped_transaction_changes_nothing,
    several_kinds_of_entities_change_in_one_transaction,
    a_failed_statement_ends_a_transaction,
    unique_values_and_references_are_checked_within_a_transaction,
    versions_change_within_a_transaction,
);

fn mailed(email: &str) -> Specimen {
    Specimen { email: Some(email.to_owned()), ..labelled(email) }
}

fn conflict<T>(field: &str) -> Result<T, StoreFailure> {
    Err(StoreFailure::Conflict(field.to_owned()))
}

async fn the_store_says_that_it_has_transactions(store: &dyn Store) -> CaseResult {
    ensure(store.has_transactions(), "`Store::has_transactions` must return `true`")
}

async fn a_transaction_sees_its_own_changes(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    commit(store, begin(store).await?).await?;
    table.insert_all([coded("a"), coded("b"), coded("c")]).await?;
    let mut transaction = begin(store).await?;
    let inserted = table.insert_in(&mut transaction, coded("d")).await?;
    equal(table.find_in(&mut transaction, "d").await?, Some(inserted.clone()))?;
    let updated = table.update_in(&mut transaction, relabelled("b", "z"), None).await?;
    equal(table.find_in(&mut transaction, "b").await?, Some(updated))?;
    table.delete_in(&mut transaction, "a").await?;
    equal(table.find_in(&mut transaction, "a").await?, None)?;
    equal(table.count_in(&mut transaction, Expression::TRUE).await?, 3)?;
    equal(table.count_in(&mut transaction, when("label", Comparison::Gte("d".into()))).await?, 2)?;
    commit(store, transaction).await?;
    table.holds(&["c", "d", "z"]).await?;
    let mut later = begin(store).await?;
    equal(table.find_in(&mut later, "d").await?, Some(inserted))
}

async fn uncommitted_changes_are_invisible_to_others(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    table.insert_all([coded("a"), coded("b")]).await?;
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("c")).await?;
    table.update_in(&mut transaction, relabelled("a", "z"), None).await?;
    table.delete_in(&mut transaction, "b").await?;
    table.holds(&["a", "b"]).await?;
    equal(table.find("c").await?, None)?;
    commit(store, transaction).await?;
    table.holds(&["c", "z"]).await
}

async fn a_dropped_transaction_changes_nothing(store: &dyn Store) -> CaseResult {
    let (table, unique) = (TestTable::new(store, texts()), TestTable::new(store, integers()));
    let (a, b) = (table.insert(coded("a")).await?, table.insert(coded("b")).await?);
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("c")).await?;
    table.update_in(&mut transaction, relabelled("a", "z"), None).await?;
    table.delete_in(&mut transaction, "b").await?;
    unique.insert_in(&mut transaction, mailed("a")).await?;
    drop(transaction);
    table.holds(&["a", "b"]).await?;
    equal((table.get("a").await?, table.get("b").await?), (a, b))?;
    unique.holds(&[]).await?;
    unique.insert(mailed("a")).await.map(drop).map_err(String::from)
}

async fn several_kinds_of_entities_change_in_one_transaction(store: &dyn Store) -> CaseResult {
    let (first, second) = (TestTable::new(store, texts()), TestTable::new(store, integers()));
    for (is_committed, expected) in [(false, [].as_slice()), (true, &["b"])] {
        let mut transaction = begin(store).await?;
        first.insert_in(&mut transaction, relabelled("a", "b")).await?;
        second.insert_in(&mut transaction, labelled("b")).await?;
        if is_committed {
            commit(store, transaction).await?;
        } else {
            drop(transaction);
        }
        first.holds(expected).await?;
        second.holds(expected).await?;
    }
    Ok(())
}

/// Checks that a transaction cannot commit after a failed statement, for every kind of failure.
async fn a_failed_statement_ends_a_transaction(store: &dyn Store) -> CaseResult {
    let (table, unique, values) =
        (TestTable::new(store, texts()), TestTable::new(store, integers()), TestTable::new(store, values()));
    let stale = table.insert(coded("a")).await?.version;
    table.update(coded("a"), None).await?;
    unique.insert(mailed("taken")).await?;
    for reason in 0..6 {
        let mut transaction = begin(store).await?;
        table.insert_in(&mut transaction, coded("b")).await?;
        let (failed, expected) = match reason {
            0 => (table.insert_in(&mut transaction, coded("a")).await.map(drop), conflict("code")),
            1 => (unique.insert_in(&mut transaction, mailed("taken")).await.map(drop), conflict("email")),
            2 => {
                let large = Specimen { natural: Some(u64::MAX), ..labelled("large") };
                let failed = values.insert_in(&mut transaction, large).await.map(drop);
                (failed, Err(StoreFailure::InvalidValue("natural".to_owned())))
            }
            3 => (table.delete_in(&mut transaction, "c").await, Err(StoreFailure::NotFound)),
            4 => (table.update_in(&mut transaction, coded("c"), None).await.map(drop), Err(StoreFailure::NotFound)),
            _ => {
                let failed = table.update_in(&mut transaction, coded("a"), Some(stale)).await.map(drop);
                (failed, Err(StoreFailure::StaleVersion))
            }
        };
        equal(failed, expected)?;
        ensure(commit(store, transaction).await.is_err(), "the transaction must not commit")?;
        table.holds(&["a"]).await?;
    }
    unique.holds(&["taken"]).await
}

async fn unique_values_and_references_are_checked_within_a_transaction(store: &dyn Store) -> CaseResult {
    let (unique, owners, pets) =
        (TestTable::new(store, integers()), TestTable::new(store, owners()), TestTable::new(store, pets()));
    let first = unique.insert(mailed("a")).await?.entity;
    let of_tenant = |label: &str, owner| Specimen { tenant: 1, owner, ..labelled(label) };
    let mut transaction = begin(store).await?;
    unique.update_in(&mut transaction, Specimen { email: Some("b".to_owned()), ..first }, None).await?;
    unique.insert_in(&mut transaction, mailed("a")).await?;
    let owner = owners.insert_in(&mut transaction, of_tenant("o", None)).await?.entity.id;
    pets.insert_in(&mut transaction, of_tenant("p", Some(owner))).await?;
    commit(store, transaction).await?;
    for email in ["a", "b"] {
        equal(unique.insert(mailed(email)).await, conflict("email"))?;
    }
    equal(owners.delete(owner, None).await, Err(StoreFailure::Referenced("suite_pets".to_owned())))?;
    let other = owners.insert(of_tenant("deleted", None)).await?.entity.id;
    let mut transaction = begin(store).await?;
    owners.delete_in(&mut transaction, other).await?;
    let missing = pets.insert_in(&mut transaction, of_tenant("q", Some(other))).await;
    equal(missing, Err(StoreFailure::MissingReference("owner".to_owned())))?;
    drop(transaction);
    owners.holds(&["deleted", "o"]).await
}

async fn versions_change_within_a_transaction(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    let before = table.insert(coded("a")).await?.version;
    let mut transaction = begin(store).await?;
    let first = table.update_in(&mut transaction, relabelled("a", "b"), Some(before)).await?.version;
    let second = table.update_in(&mut transaction, relabelled("a", "c"), Some(first)).await?.version;
    table.delete_in(&mut transaction, "a").await?;
    let third = table.insert_in(&mut transaction, coded("a")).await?;
    commit(store, transaction).await?;
    equal(table.get("a").await?, third.clone())?;
    let versions = std::collections::BTreeSet::from([before, first, second, third.version]);
    equal(versions.len(), 4)?;
    let mut transaction = begin(store).await?;
    equal(table.update_in(&mut transaction, relabelled("a", "d"), Some(first)).await, Err(StoreFailure::StaleVersion))
}
