//! Versions: updates and deletes that compare and swap.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use restwright_list::{Expression, Window};

use super::specimen::{integers, shown_versions, texts};
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, ensure, equal};
use crate::entity::{Version, Versioned};
use crate::store::Repository;

cases!(
    "versions";
    what_is_inserted_has_the_version_that_is_found,
    an_update_makes_another_version,
    an_update_with_its_version_changes_the_entity,
    an_update_with_a_stale_version_changes_nothing,
    an_update_without_a_version_changes_the_entity,
    an_update_that_changes_no_field_makes_another_version,
    an_update_of_what_is_not_there_is_not_found,
    an_update_with_a_version_of_what_is_not_there_is_not_found,
    a_delete_with_its_version_removes_the_entity,
    a_delete_with_a_stale_version_removes_nothing,
    a_delete_without_a_version_removes_the_entity,
    a_delete_of_what_is_not_there_is_not_found,
    a_failed_update_keeps_the_version,
    another_entity_keeps_its_version,
    a_list_has_the_versions,
    versions_never_repeat,
    versions_never_repeat_after_a_delete,
    a_field_of_the_version_has_its_number,
    of_updates_at_once_one_wins,
    of_inserts_at_once_one_wins,
    of_deletes_at_once_one_wins,
);

fn item() -> Specimen {
    Specimen { code: "a".to_owned(), ..labelled("0") }
}

fn changed(label: &str) -> Specimen {
    Specimen { label: label.to_owned(), ..item() }
}

/// Returns a version that an entity does not have.
fn stale(version: Version) -> Version {
    Version::new(version.number() ^ 1)
}

async fn a_field_of_the_version_has_its_number<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, shown_versions());
    let inserted = table.insert(Specimen { natural: Some(7), ..labelled("0") }).await?;
    let shown = |found: &Versioned<Specimen>| found.entity.natural == u64::try_from(found.version.number()).ok();
    ensure(shown(&inserted), "an insert returns another number")?;
    equal(table.get(inserted.entity.id).await?, inserted.clone())?;
    let updated = table.update(Specimen { natural: None, ..inserted.entity }, Some(inserted.version)).await?;
    ensure(shown(&updated), "an update returns another number")?;
    equal(table.get(updated.entity.id).await?, updated)
}

async fn what_is_inserted_has_the_version_that_is_found<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let inserted = table.insert(item()).await?;
    equal(table.get("a").await?, inserted)
}

async fn an_update_makes_another_version<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let inserted = table.insert(item()).await?;
    let updated = table.update(changed("1"), None).await?;
    ensure(inserted.version != updated.version, "the version is the same")?;
    equal(table.get("a").await?, updated)
}

async fn an_update_with_its_version_changes_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(item()).await?.version;
    let second = table.update(changed("1"), Some(first)).await?.version;
    table.update(changed("2"), Some(second)).await?;
    table.holds(&["2"]).await
}

async fn an_update_with_a_stale_version_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(item()).await?.version;
    let second = table.update(changed("1"), None).await?;
    equal(table.update(changed("2"), Some(first)).await, Err(Failure::StaleVersion))?;
    equal(table.update(changed("2"), Some(stale(second.version))).await, Err(Failure::StaleVersion))?;
    equal(table.get("a").await?, second)
}

async fn an_update_without_a_version_changes_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(item()).await?;
    table.update(changed("1"), None).await?;
    table.update(changed("2"), None).await?;
    table.holds(&["2"]).await
}

async fn an_update_that_changes_no_field_makes_another_version<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(item()).await?.version;
    table.update(item(), Some(first)).await?;
    equal(table.update(item(), Some(first)).await, Err(Failure::StaleVersion))
}

async fn an_update_of_what_is_not_there_is_not_found<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    equal(table.update(item(), None).await, Err(Failure::NotFound))?;
    table.holds(&[]).await
}

async fn an_update_with_a_version_of_what_is_not_there_is_not_found<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let version = table.insert(item()).await?.version;
    table.delete("a", None).await?;
    equal(table.update(item(), Some(version)).await, Err(Failure::NotFound))?;
    equal(table.delete("a", Some(version)).await, Err(Failure::NotFound))
}

async fn a_delete_with_its_version_removes_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let version = table.insert(item()).await?.version;
    table.delete("a", Some(version)).await?;
    table.holds(&[]).await
}

async fn a_delete_with_a_stale_version_removes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let version = table.insert(item()).await?.version;
    table.update(changed("1"), None).await?;
    equal(table.delete("a", Some(version)).await, Err(Failure::StaleVersion))?;
    table.holds(&["1"]).await
}

async fn a_delete_without_a_version_removes_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert_all([item(), Specimen { code: "b".to_owned(), ..labelled("b") }]).await?;
    table.delete("a", None).await?;
    equal(table.find("a").await?, None)?;
    table.holds(&["b"]).await
}

async fn a_delete_of_what_is_not_there_is_not_found<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    equal(table.delete("a", None).await, Err(Failure::NotFound))?;
    table.insert(item()).await?;
    table.delete("a", None).await?;
    equal(table.delete("a", None).await, Err(Failure::NotFound))
}

async fn a_failed_update_keeps_the_version<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(Specimen { serial: Some(1), ..labelled("a") }).await?;
    let second = table.insert(labelled("b")).await?;
    let taken = Specimen { serial: Some(1), ..second.entity.clone() };
    equal(table.update(taken, None).await, Err(Failure::Conflict("serial".to_owned())))?;
    table.update(second.entity, Some(second.version)).await.map(drop).map_err(String::from)
}

async fn another_entity_keeps_its_version<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let other = table.insert(Specimen { code: "b".to_owned(), ..labelled("b") }).await?;
    table.insert(item()).await?;
    table.update(changed("1"), None).await?;
    equal(table.get("b").await?, other)
}

async fn a_list_has_the_versions<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(item()).await?;
    let updated = table.update(changed("1"), None).await?;
    let window = Window::seek(None, 5);
    let listed = table.list(Expression::TRUE, "", &window).await?;
    equal(listed.items, vec![updated])
}

async fn versions_never_repeat<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut seen = BTreeSet::from([table.insert(item()).await?.version]);
    for label in 0..20 {
        seen.insert(table.update(changed(&label.to_string()), None).await?.version);
    }
    equal(seen.len(), 21)
}

async fn versions_never_repeat_after_a_delete<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut seen = BTreeSet::new();
    for _ in 0..5 {
        seen.insert(table.insert(item()).await?.version);
        seen.insert(table.update(changed("1"), None).await?.version);
        table.delete("a", None).await?;
    }
    equal(seen.len(), 10)
}

async fn of_updates_at_once_one_wins<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut version = table.insert(item()).await?.version;
    for round in 0..4 {
        let labels: Vec<_> = (0..8).map(|index| format!("{round}-{index}")).collect();
        let updates = labels.iter().map(|label| table.update(changed(label), Some(version)));
        let outcomes = at_once(updates).await;
        let mut won = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok());
        let winner = won.next().ok_or("no update won")?;
        ensure(won.next().is_none(), "two updates of one version won")?;
        lost(&outcomes, &[Failure::StaleVersion])?;
        version = winner.version;
        equal(&table.get("a").await?, winner)?;
    }
    Ok(())
}

async fn of_inserts_at_once_one_wins<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let outcomes = at_once((0..8).map(|index| table.insert(changed(&index.to_string())))).await;
    equal(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1)?;
    lost(&outcomes, &[Failure::Conflict("code".to_owned())])?;
    equal(table.count(Expression::TRUE).await?, 1)
}

async fn of_deletes_at_once_one_wins<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let version = table.insert(item()).await?.version;
    let outcomes = at_once((0..8).map(|_| table.delete("a", Some(version)))).await;
    equal(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1)?;
    lost(&outcomes, &[Failure::NotFound, Failure::StaleVersion])
}

/// Fails unless those that lost did so for one of these reasons, or since they were in the way of each other.
fn lost<T: std::fmt::Debug>(outcomes: &[Result<T, Failure>], reasons: &[Failure]) -> Outcome {
    let failures = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    let mut others = failures.filter(|failure| !reasons.contains(failure) && **failure != Failure::TransactionConflict);
    others.next().map_or(Ok(()), |other| Err(format!("one lost for the reason {other:?}")))
}

/// Runs several futures at once, and returns their outputs in order.
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
