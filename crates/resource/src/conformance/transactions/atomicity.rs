//! Transactions that take effect wholly, or not at all.

use restwright_list::{Comparison, Expression};

use super::super::specimen::{integers, owners, pets, texts, values};
use super::super::table::{Failure, Table, labelled, when};
use super::super::{Outcome, Specimen, cases, ensure, equal};
use super::{begin, coded, commit, relabelled};
use crate::store::Repository;

cases!(
    "transactions";
    what_is_committed_is_there,
    what_is_dropped_is_not_there,
    an_empty_one_commits,
    it_sees_its_own_inserts,
    it_sees_its_own_updates,
    it_sees_its_own_deletes,
    it_lists_and_counts_its_own_changes,
    a_dropped_update_leaves_the_entity,
    a_dropped_delete_leaves_the_entity,
    a_dropped_one_frees_its_unique_values,
    nobody_else_sees_it_before_it_is_committed,
    several_kinds_of_entities_change_together,
    one_that_fails_half_way_changes_nothing,
    one_whose_reference_fails_changes_nothing,
    one_whose_version_is_stale_changes_nothing,
    one_with_a_failed_statement_does_not_commit,
    one_with_an_invalid_value_does_not_commit,
    one_with_an_unknown_identifier_does_not_commit,
    a_unique_value_is_taken_within_it,
    a_unique_value_moves_within_it,
    an_identifier_is_given_again_within_it,
    a_reference_may_point_to_what_it_inserted,
    what_it_deleted_is_missing_to_its_references,
    versions_of_its_updates_differ,
    a_version_from_before_is_stale_within_it,
    a_later_transaction_sees_an_earlier_one,
    a_batch_is_all_or_nothing,
);

fn mailed(email: &str) -> Specimen {
    Specimen { email: Some(email.to_owned()), ..labelled(email) }
}

fn conflict<T>(field: &str) -> Result<T, Failure> {
    Err(Failure::Conflict(field.to_owned()))
}

async fn what_is_committed_is_there<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut transaction = begin(store).await?;
    let inserted = table.insert_in(&mut transaction, coded("a")).await?;
    table.insert_in(&mut transaction, coded("b")).await?;
    commit(store, transaction).await?;
    equal(table.get("a").await?, inserted)?;
    table.holds(&["a", "b"]).await
}

async fn what_is_dropped_is_not_there<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("a")).await?;
    drop(transaction);
    table.holds(&[]).await
}

async fn an_empty_one_commits<S: Repository<Specimen>>(store: &S) -> Outcome {
    let transaction = begin(store).await?;
    commit(store, transaction).await.map_err(String::from)
}

async fn it_sees_its_own_inserts<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut transaction = begin(store).await?;
    let inserted = table.insert_in(&mut transaction, coded("a")).await?;
    equal(table.find_in(&mut transaction, "a").await?, Some(inserted))
}

async fn it_sees_its_own_updates<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    let updated = table.update_in(&mut transaction, relabelled("a", "b"), None).await?;
    equal(table.find_in(&mut transaction, "a").await?, Some(updated))
}

async fn it_sees_its_own_deletes<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.delete_in(&mut transaction, "a").await?;
    equal(table.find_in(&mut transaction, "a").await?, None)?;
    equal(table.delete_in(&mut transaction, "a").await, Err(Failure::NotFound))
}

async fn it_lists_and_counts_its_own_changes<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert_all([coded("a"), coded("b"), coded("c")]).await?;
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("d")).await?;
    table.delete_in(&mut transaction, "a").await?;
    table.update_in(&mut transaction, relabelled("b", "z"), None).await?;
    equal(table.count_in(&mut transaction, Expression::TRUE).await?, 3)?;
    let above = when("label", Comparison::Gte("d".into()));
    equal(table.count_in(&mut transaction, above).await?, 2)?;
    commit(store, transaction).await?;
    table.holds(&["c", "d", "z"]).await
}

async fn a_dropped_update_leaves_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let inserted = table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.update_in(&mut transaction, relabelled("a", "b"), None).await?;
    drop(transaction);
    equal(table.get("a").await?, inserted)
}

async fn a_dropped_delete_leaves_the_entity<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let inserted = table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.delete_in(&mut transaction, "a").await?;
    drop(transaction);
    equal(table.get("a").await?, inserted)
}

async fn a_dropped_one_frees_its_unique_values<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, mailed("a")).await?;
    drop(transaction);
    table.insert(mailed("a")).await.map(drop).map_err(String::from)
}

async fn nobody_else_sees_it_before_it_is_committed<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
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

async fn several_kinds_of_entities_change_together<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (first, second) = (Table::new(store, texts()), Table::new(store, integers()));
    let mut transaction = begin(store).await?;
    first.insert_in(&mut transaction, coded("a")).await?;
    second.insert_in(&mut transaction, labelled("b")).await?;
    drop(transaction);
    first.holds(&[]).await?;
    second.holds(&[]).await?;
    let mut transaction = begin(store).await?;
    first.insert_in(&mut transaction, coded("a")).await?;
    second.insert_in(&mut transaction, labelled("b")).await?;
    commit(store, transaction).await?;
    first.holds(&["a"]).await?;
    second.holds(&["b"]).await
}

async fn one_that_fails_half_way_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (first, second) = (Table::new(store, texts()), Table::new(store, integers()));
    second.insert(mailed("taken")).await?;
    let mut transaction = begin(store).await?;
    first.insert_in(&mut transaction, coded("a")).await?;
    equal(second.insert_in(&mut transaction, mailed("taken")).await, conflict("email"))?;
    drop(transaction);
    first.holds(&[]).await?;
    second.holds(&["taken"]).await
}

async fn one_whose_reference_fails_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (owners, pets) = (Table::new(store, owners()), Table::new(store, pets()));
    let mut transaction = begin(store).await?;
    let owner = owners.insert_in(&mut transaction, Specimen { tenant: 1, ..labelled("o") }).await?.entity.id;
    let pet = Specimen { tenant: 1, owner: Some(owner + 1), ..labelled("p") };
    equal(pets.insert_in(&mut transaction, pet).await, Err(Failure::MissingReference("owner".to_owned())))?;
    drop(transaction);
    owners.holds(&[]).await
}

async fn one_whose_version_is_stale_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let stale = table.insert(coded("a")).await?.version;
    table.update(relabelled("a", "b"), None).await?;
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("c")).await?;
    let outcome = table.update_in(&mut transaction, relabelled("a", "d"), Some(stale)).await;
    equal(outcome, Err(Failure::StaleVersion))?;
    drop(transaction);
    table.holds(&["b"]).await
}

async fn one_with_a_failed_statement_does_not_commit<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("b")).await?;
    equal(table.insert_in(&mut transaction, coded("a")).await, conflict("code"))?;
    ensure(commit(store, transaction).await.is_err(), "it was committed")?;
    table.holds(&["a"]).await
}

async fn one_with_an_invalid_value_does_not_commit<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (texts, values) = (Table::new(store, texts()), Table::new(store, values()));
    let mut transaction = begin(store).await?;
    texts.insert_in(&mut transaction, coded("a")).await?;
    let large = Specimen { natural: Some(u64::MAX), ..labelled("large") };
    equal(values.insert_in(&mut transaction, large).await, Err(Failure::InvalidValue("natural".to_owned())))?;
    ensure(commit(store, transaction).await.is_err(), "it was committed")?;
    texts.holds(&[]).await
}

async fn one_with_an_unknown_identifier_does_not_commit<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, coded("a")).await?;
    equal(table.delete_in(&mut transaction, "b").await, Err(Failure::NotFound))?;
    ensure(commit(store, transaction).await.is_err(), "it was committed")?;
    table.holds(&[]).await
}

async fn a_unique_value_is_taken_within_it<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let mut transaction = begin(store).await?;
    table.insert_in(&mut transaction, mailed("a")).await?;
    equal(table.insert_in(&mut transaction, mailed("a")).await, conflict("email"))
}

async fn a_unique_value_moves_within_it<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let first = table.insert(mailed("a")).await?.entity;
    let mut transaction = begin(store).await?;
    let freed = Specimen { email: Some("b".to_owned()), ..first.clone() };
    table.update_in(&mut transaction, freed, None).await?;
    table.insert_in(&mut transaction, mailed("a")).await?;
    commit(store, transaction).await?;
    equal(table.get(first.id).await?.entity.email, Some("b".to_owned()))?;
    equal(table.insert(mailed("b")).await, conflict("email"))?;
    equal(table.insert(mailed("a")).await, conflict("email"))
}

async fn an_identifier_is_given_again_within_it<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(coded("a")).await?;
    let mut transaction = begin(store).await?;
    table.delete_in(&mut transaction, "a").await?;
    let second = table.insert_in(&mut transaction, relabelled("a", "b")).await?;
    commit(store, transaction).await?;
    ensure(first.version != second.version, "the version is the same")?;
    equal(table.get("a").await?, second)
}

async fn a_reference_may_point_to_what_it_inserted<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (owners, pets) = (Table::new(store, owners()), Table::new(store, pets()));
    let mut transaction = begin(store).await?;
    let owner = owners.insert_in(&mut transaction, Specimen { tenant: 1, ..labelled("o") }).await?.entity.id;
    pets.insert_in(&mut transaction, Specimen { tenant: 1, owner: Some(owner), ..labelled("p") }).await?;
    commit(store, transaction).await?;
    equal(owners.delete(owner, None).await, Err(Failure::Referenced("suite_pets".to_owned())))
}

async fn what_it_deleted_is_missing_to_its_references<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (owners, pets) = (Table::new(store, owners()), Table::new(store, pets()));
    let owner = owners.insert(Specimen { tenant: 1, ..labelled("o") }).await?.entity.id;
    let mut transaction = begin(store).await?;
    owners.delete_in(&mut transaction, owner).await?;
    let pet = Specimen { tenant: 1, owner: Some(owner), ..labelled("p") };
    equal(pets.insert_in(&mut transaction, pet).await, Err(Failure::MissingReference("owner".to_owned())))
}

async fn versions_of_its_updates_differ<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut transaction = begin(store).await?;
    let first = table.insert_in(&mut transaction, coded("a")).await?.version;
    let second = table.update_in(&mut transaction, relabelled("a", "b"), Some(first)).await?.version;
    let third = table.update_in(&mut transaction, relabelled("a", "c"), Some(second)).await?.version;
    ensure(first != second && second != third && first != third, "versions repeat")?;
    commit(store, transaction).await?;
    equal(table.get("a").await?.version, third)
}

async fn a_version_from_before_is_stale_within_it<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(coded("a")).await?.version;
    let mut transaction = begin(store).await?;
    table.update_in(&mut transaction, relabelled("a", "b"), Some(first)).await?;
    let again = table.update_in(&mut transaction, relabelled("a", "c"), Some(first)).await;
    equal(again, Err(Failure::StaleVersion))
}

async fn a_later_transaction_sees_an_earlier_one<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let mut first = begin(store).await?;
    let inserted = table.insert_in(&mut first, coded("a")).await?;
    commit(store, first).await?;
    let mut second = begin(store).await?;
    equal(table.find_in(&mut second, "a").await?, Some(inserted))
}

async fn a_batch_is_all_or_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let batch = |last: &str| (0..50).map(|index| mailed(&index.to_string())).chain([mailed(last)]).collect::<Vec<_>>();
    let mut failed = begin(store).await?;
    let mut outcome = Ok(());
    for specimen in batch("7") {
        outcome = outcome.and(table.insert_in(&mut failed, specimen).await.map(drop));
        if outcome.is_err() {
            break;
        }
    }
    equal(outcome, conflict("email"))?;
    drop(failed);
    equal(table.count(Expression::TRUE).await?, 0)?;
    let mut transaction = begin(store).await?;
    for specimen in batch("last") {
        table.insert_in(&mut transaction, specimen).await?;
    }
    commit(store, transaction).await?;
    equal(table.count(Expression::TRUE).await?, 51)
}
