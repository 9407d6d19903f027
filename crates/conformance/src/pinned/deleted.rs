//! Test cases for entities that stay in the store after a delete.

use jiff::Timestamp;
use restwright_list::{Comparison, Expression};
use restwright_resource::{EntityDefinition, Repository, Scope, Store, Version};

use crate::specimen::{comments, tickets};
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "deleted entities";
    a_deleted_entity_is_missing,
    a_delete_releases_unique_values_and_a_restore_takes_them,
    a_reference_to_a_deleted_entity_is_missing,
    a_delete_cascades_to_entities_that_stay_and_to_entities_that_leave,
    a_remaining_reference_prevents_a_delete_that_keeps_the_entity,
    only_a_statement_with_deleted_entities_changes_the_time_of_the_deletion,
);

fn of(store: &dyn Store, definition: EntityDefinition) -> TestTable<'_> {
    TestTable::scoped(store, definition, Scope::new().with("tenant", 1))
}

fn child(label: &str, parent: i64) -> Specimen {
    Specimen { parent: Some(parent), ..labelled(label) }
}

async fn a_deleted_entity_is_missing(store: &dyn Store) -> CaseResult {
    let table = of(store, tickets());
    let inserted = table.insert(labelled("a")).await?;
    let id = inserted.entity.id;
    table.insert(labelled("b")).await?;
    equal(table.delete(id, Some(Version::new(7))).await, Err(StoreFailure::StaleVersion))?;
    table.delete(id, Some(inserted.version)).await?;
    equal(table.find(id).await?, None)?;
    table.holds(&["b"]).await?;
    equal(table.count(when("moment", Comparison::IsNull(false))).await?, 0)?;
    equal(table.count(!when("label", Comparison::Eq("x".into()))).await?, 1)?;
    for version in [None, Some(inserted.version)] {
        equal(table.delete(id, version).await, Err(StoreFailure::NotFound))?;
        equal(table.update(inserted.entity.clone(), version).await, Err(StoreFailure::NotFound))?;
    }
    let kept = table.find_deleted(id).await?.ok_or(StoreFailure::NotFound)?;
    ensure(kept.version != inserted.version, "a delete must change the version")?;
    ensure(kept.entity.moment.is_some(), "a deleted entity must contain the time of the deletion")?;
    equal(Specimen { moment: None, ..kept.entity }, inserted.entity.clone())?;
    equal(TestTable::scoped(store, tickets(), Scope::new().with("tenant", 2)).find_deleted(id).await?, None)?;
    // The identifier stays in use.
    equal(table.insert_kept(inserted.entity).await, Err(StoreFailure::Conflict("id".to_owned())))
}

async fn a_delete_releases_unique_values_and_a_restore_takes_them(store: &dyn Store) -> CaseResult {
    let table = of(store, tickets());
    let named = |label: &str| Specimen {
        email: Some("m".to_owned()),
        text: Some("t".to_owned()),
        flag: Some(true),
        ..labelled(label)
    };
    let first = table.insert(named("a")).await?.entity;
    table.delete(first.id, None).await?;
    let second = table.insert(named("b")).await?.entity;
    equal(table.insert(named("c")).await, Err(StoreFailure::Conflict("email".to_owned())))?;
    equal(table.restore(first.clone()).await, Err(StoreFailure::Conflict("email".to_owned())))?;
    table.holds(&["b"]).await?;
    let second = table.update(Specimen { email: None, ..second }, None).await?.entity;
    equal(table.restore(first.clone()).await, Err(StoreFailure::Conflict("text, flag".to_owned())))?;
    table.delete(second.id, None).await?;
    equal(table.restore(first.clone()).await?.entity, first)?;
    equal(
        table.restore(second).await.map(|restored| restored.entity.label),
        Err(StoreFailure::Conflict("text, flag".to_owned())),
    )?;
    table.holds(&["a"]).await
}

async fn a_reference_to_a_deleted_entity_is_missing(store: &dyn Store) -> CaseResult {
    let (tickets, comments) = (of(store, tickets()), of(store, comments()));
    let missing = |field: &str| Err(StoreFailure::MissingReference(field.to_owned()));
    let parent = tickets.insert(labelled("p")).await?.entity;
    let comment = comments.insert(labelled("c")).await?.entity;
    tickets.delete(parent.id, None).await?;
    equal(comments.insert(child("d", parent.id)).await, missing("parent"))?;
    equal(comments.insert(Specimen { owner: Some(parent.id), ..child("d", parent.id + 7) }).await, missing("parent"))?;
    equal(comments.update(Specimen { owner: Some(parent.id), ..comment.clone() }, None).await, missing("owner"))?;
    equal(tickets.insert(child("t", parent.id)).await, missing("parent"))?;
    comments.holds(&["c"]).await?;
    tickets.restore(parent.clone()).await?;
    comments.update(Specimen { owner: Some(parent.id), ..comment }, None).await?;
    tickets.insert(child("t", parent.id)).await?;
    tickets.holds(&["p", "t"]).await
}

async fn a_delete_cascades_to_entities_that_stay_and_to_entities_that_leave(store: &dyn Store) -> CaseResult {
    let (tickets, comments) = (of(store, tickets()), of(store, comments()));
    let parent = tickets.insert(labelled("p")).await?.entity;
    let inner = tickets.insert(child("i", parent.id)).await?.entity;
    // A cycle.
    let parent = tickets.update(Specimen { parent: Some(inner.id), ..parent }, None).await?.entity;
    tickets.insert(labelled("other")).await?;
    let comment = comments.insert(child("c", inner.id)).await?.entity;
    comments.insert(labelled("d")).await?;
    tickets.delete(parent.id, None).await?;
    tickets.holds(&["other"]).await?;
    comments.holds(&["d"]).await?;
    equal(comments.find_deleted(comment.uuid_id).await?, None)?;
    let kept = tickets.find_deleted(inner.id).await?.ok_or(StoreFailure::NotFound)?.entity;
    ensure(kept.moment.is_some(), "a cascade must keep the entity")?;
    // The entity that it refers to is still deleted.
    equal(tickets.restore(inner).await, Err(StoreFailure::MissingReference("parent".to_owned())))?;
    tickets.restore(Specimen { parent: None, ..parent }).await?;
    tickets.restore(kept).await?;
    tickets.holds(&["i", "other", "p"]).await
}

async fn a_remaining_reference_prevents_a_delete_that_keeps_the_entity(store: &dyn Store) -> CaseResult {
    let (tickets, comments) = (of(store, tickets()), of(store, comments()));
    let referenced = |by: &str| Err(StoreFailure::Referenced(by.to_owned()));
    let parent = tickets.insert(labelled("p")).await?.entity;
    let inner = tickets.insert(child("i", parent.id)).await?.entity;
    let comment = comments.insert(Specimen { owner: Some(inner.id), ..labelled("c") }).await?.entity;
    equal(tickets.delete(parent.id, None).await, referenced("suite_comments"))?;
    tickets.holds(&["i", "p"]).await?;
    // The same delete removes the comment.
    comments.update(Specimen { parent: Some(parent.id), ..comment }, None).await?;
    tickets.delete(parent.id, None).await?;
    tickets.holds(&[]).await?;
    comments.holds(&[]).await?;
    let first = tickets.insert(labelled("1")).await?.entity;
    let second = tickets.insert(Specimen { owner: Some(first.id), ..labelled("2") }).await?.entity;
    equal(tickets.delete(first.id, None).await, referenced("suite_tickets"))?;
    // A deleted entity does not prevent the deletion of the entity that it refers to.
    tickets.delete(second.id, None).await?;
    tickets.delete(first.id, None).await?;
    tickets.holds(&[]).await
}

async fn only_a_statement_with_deleted_entities_changes_the_time_of_the_deletion(store: &dyn Store) -> CaseResult {
    let table = of(store, tickets());
    let deleted = |specimen| Specimen { moment: Some(Timestamp::UNIX_EPOCH), ..specimen };
    let inserted = table.insert(deleted(labelled("a"))).await?.entity;
    equal(inserted.moment, None)?;
    equal(table.update(deleted(inserted.clone()), None).await?.entity.moment, None)?;
    table.holds(&["a"]).await?;
    let statement = table.statement().with_deleted();
    store.update(statement, deleted(inserted.clone()), None).await.map_err(StoreFailure::from)?;
    table.holds(&[]).await?;
    let all = store.count(table.statement().with_deleted(), &Expression::TRUE).await.map_err(StoreFailure::from)?;
    equal(all, 1)?;
    table.restore(inserted).await?;
    table.holds(&["a"]).await
}
