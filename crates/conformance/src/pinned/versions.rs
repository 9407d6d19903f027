//! Test cases for the versions of entities. Updates and deletes compare the stored version with the expected version.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use restwright_list::{Expression, Window};
use restwright_resource::{Store, Version, Versioned};

use crate::specimen::{integers, shown_versions, texts};
use crate::table::{StoreFailure, TestTable, labelled};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "versions";
    each_write_creates_a_version_that_never_repeats,
    a_stale_version_changes_nothing,
    a_missing_entity_is_not_found_with_any_version,
    a_failed_update_keeps_the_version,
    a_version_field_contains_the_version,
    one_of_several_concurrent_writes_succeeds,
);

fn item(label: &str) -> Specimen {
    Specimen { code: "a".to_owned(), ..labelled(label) }
}

async fn each_write_creates_a_version_that_never_repeats(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    let other = table.insert(Specimen { code: "b".to_owned(), ..labelled("b") }).await?;
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        let mut last = table.insert(item("0")).await?;
        equal(table.get("a").await?, last.clone())?;
        seen.insert(last.version);
        // The version changes even if no value changes, with or without an expected version.
        for (label, expected) in [("0", None), ("0", Some(())), ("1", Some(()))] {
            last = table.update(item(label), expected.map(|()| last.version)).await?;
            equal(table.get("a").await?, last.clone())?;
            seen.insert(last.version);
        }
        let listed = table.list(Expression::TRUE, "label", &Window::seek(None, 5)).await?;
        equal(listed.items, vec![last, other.clone()])?;
        table.delete("a", None).await?;
    }
    equal(seen.len(), 12)
}

async fn a_stale_version_changes_nothing(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    let first = table.insert(item("0")).await?.version;
    let second = table.update(item("0"), Some(first)).await?;
    for stale in [first, Version::new(second.version.number() ^ 1)] {
        equal(table.update(item("2"), Some(stale)).await, Err(StoreFailure::StaleVersion))?;
        equal(table.delete("a", Some(stale)).await, Err(StoreFailure::StaleVersion))?;
    }
    // The version is checked before the values.
    equal(table.get("a").await?, second.clone())?;
    table.delete("a", Some(second.version)).await?;
    table.holds(&[]).await
}

async fn a_missing_entity_is_not_found_with_any_version(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    equal(table.update(item("0"), None).await, Err(StoreFailure::NotFound))?;
    let version = table.insert(item("0")).await?.version;
    table.delete("a", None).await?;
    for version in [None, Some(version)] {
        equal(table.update(item("0"), version).await, Err(StoreFailure::NotFound))?;
        equal(table.delete("a", version).await, Err(StoreFailure::NotFound))?;
    }
    table.holds(&[]).await
}

async fn a_failed_update_keeps_the_version(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, integers());
    table.insert(Specimen { serial: Some(1), ..labelled("a") }).await?;
    let second = table.insert(labelled("b")).await?;
    let taken = Specimen { serial: Some(1), ..second.entity.clone() };
    equal(table.update(taken.clone(), None).await, Err(StoreFailure::Conflict("serial".to_owned())))?;
    let stale = Version::new(second.version.number() ^ 1);
    // A stale version takes precedence over a conflict.
    equal(table.update(taken, Some(stale)).await, Err(StoreFailure::StaleVersion))?;
    table.update(second.entity, Some(second.version)).await.map(drop).map_err(String::from)
}

async fn a_version_field_contains_the_version(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, shown_versions());
    let inserted = table.insert(Specimen { natural: Some(7), ..labelled("0") }).await?;
    let shown = |found: &Versioned<Specimen>| found.entity.natural == u64::try_from(found.version.number()).ok();
    ensure(shown(&inserted), "an insert must return the stored version")?;
    equal(table.get(inserted.entity.id).await?, inserted.clone())?;
    let updated = table.update(Specimen { natural: None, ..inserted.entity }, Some(inserted.version)).await?;
    ensure(shown(&updated), "an update must return the stored version")?;
    equal(table.get(updated.entity.id).await?, updated)
}

async fn one_of_several_concurrent_writes_succeeds(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, texts());
    let outcomes = at_once((0..8).map(|index| table.insert(item(&index.to_string())))).await;
    lost(&outcomes, &[StoreFailure::Conflict("code".to_owned())])?;
    equal(table.count(Expression::TRUE).await?, 1)?;
    let mut version = table.get("a").await?.version;
    for round in 0..4 {
        let labels: Vec<_> = (0..8).map(|index| format!("{round}-{index}")).collect();
        let updates = labels.iter().map(|label| table.update(item(label), Some(version)));
        let outcomes = at_once(updates).await;
        lost(&outcomes, &[StoreFailure::StaleVersion])?;
        let winner = outcomes.into_iter().find_map(Result::ok).ok_or("one update must succeed")?;
        version = winner.version;
        equal(table.get("a").await?, winner)?;
    }
    let outcomes = at_once((0..8).map(|_| table.delete("a", Some(version)))).await;
    lost(&outcomes, &[StoreFailure::NotFound, StoreFailure::StaleVersion])
}

/// Checks that exactly one operation succeeded. All other operations must have failed because of a conflict or one of the given reasons.
fn lost<T: std::fmt::Debug>(outcomes: &[Result<T, StoreFailure>], reasons: &[StoreFailure]) -> CaseResult {
    equal(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1)?;
    let failures = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let mut others =
        failures.filter(|failure| !reasons.contains(failure) && **failure != StoreFailure::TransactionConflict);
    others.next().map_or(Ok(()), |other| Err(format!("an operation failed with {other:?}")))
}

/// Runs several futures concurrently and returns their outputs in the order of the futures.
async fn at_once<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    type Running<F> = (Pin<Box<F>>, Option<<F as Future>::Output>);
    let mut running: Vec<Running<F>> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut is_pending = false;
        for (future, output) in running.iter_mut().filter(|(_, output)| output.is_none()) {
            match future.as_mut().poll(context) {
                Poll::Ready(ready) => *output = Some(ready),
                Poll::Pending => is_pending = true,
            }
        }
        if is_pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}
