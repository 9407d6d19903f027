//! Unique fields.

use super::specimen::{integers, members};
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, equal};
use crate::store::{Repository, Scope};

cases!(
    "uniqueness";
    a_value_is_taken_once,
    an_integer_is_taken_once,
    null_is_not_equal_to_null,
    the_empty_text_is_a_value,
    case_and_spaces_are_regarded,
    a_conflict_names_its_field,
    an_update_to_a_taken_value_is_a_conflict,
    an_update_keeps_its_own_value,
    an_update_frees_its_old_value,
    an_update_to_null_frees_the_value,
    a_delete_frees_the_value,
    a_failed_insert_takes_nothing,
    a_failed_update_takes_nothing,
    another_scope_has_values_of_its_own,
    a_value_is_taken_within_its_scope,
);

fn mailed(email: &str) -> Specimen {
    Specimen { email: Some(email.to_owned()), ..labelled(email) }
}

fn conflict<T>(field: &str) -> Result<T, Failure> {
    Err(Failure::Conflict(field.to_owned()))
}

async fn a_value_is_taken_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(mailed("a")).await?;
    equal(table.insert(mailed("a")).await, conflict("email"))?;
    table.holds(&["a"]).await
}

async fn an_integer_is_taken_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(Specimen { serial: Some(0), ..labelled("a") }).await?;
    equal(table.insert(Specimen { serial: Some(0), ..labelled("b") }).await, conflict("serial"))?;
    table.holds(&["a"]).await
}

async fn null_is_not_equal_to_null<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert_all(["a", "b", "c"].map(labelled)).await?;
    table.holds(&["a", "b", "c"]).await
}

async fn the_empty_text_is_a_value<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(mailed("")).await?;
    equal(table.insert(mailed("")).await, conflict("email"))
}

async fn case_and_spaces_are_regarded<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert_all(["A", "a", "a ", "ä", "a\u{308}"].map(mailed)).await?;
    table.holds(&["A", "a", "a ", "a\u{308}", "ä"]).await
}

async fn a_conflict_names_its_field<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(Specimen { serial: Some(7), ..mailed("a") }).await?;
    equal(table.insert(Specimen { serial: Some(7), ..mailed("b") }).await, conflict("serial"))?;
    equal(table.insert(Specimen { serial: Some(8), ..mailed("a") }).await, conflict("email"))
}

async fn an_update_to_a_taken_value_is_a_conflict<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(mailed("a")).await?;
    let second = table.insert(mailed("b")).await?;
    let changed = Specimen { email: Some("a".to_owned()), ..second.entity.clone() };
    equal(table.update(changed, None).await, conflict("email"))?;
    equal(table.get(second.entity.id).await?, second)
}

async fn an_update_keeps_its_own_value<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let inserted = table.insert(mailed("a")).await?.entity;
    table.update(Specimen { label: "b".to_owned(), ..inserted }, None).await?;
    table.holds(&["b"]).await?;
    equal(table.insert(mailed("a")).await, conflict("email"))
}

async fn an_update_frees_its_old_value<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let inserted = table.insert(mailed("a")).await?.entity;
    table.update(Specimen { email: Some("b".to_owned()), ..inserted }, None).await?;
    table.insert(mailed("a")).await?;
    equal(table.insert(mailed("b")).await, conflict("email"))
}

async fn an_update_to_null_frees_the_value<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let inserted = table.insert(mailed("a")).await?.entity;
    table.update(Specimen { email: None, ..inserted }, None).await?;
    table.insert(mailed("a")).await?;
    table.holds(&["a", "a"]).await
}

async fn a_delete_frees_the_value<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let inserted = table.insert(mailed("a")).await?.entity;
    table.delete(inserted.id, None).await?;
    table.insert(mailed("a")).await?;
    table.holds(&["a"]).await
}

async fn a_failed_insert_takes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(mailed("a")).await?;
    equal(table.insert(Specimen { serial: Some(7), ..mailed("a") }).await, conflict("email"))?;
    table.insert(Specimen { serial: Some(7), ..labelled("b") }).await?;
    table.holds(&["a", "b"]).await
}

async fn a_failed_update_takes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    table.insert(Specimen { serial: Some(7), ..labelled("a") }).await?;
    let second = table.insert(mailed("b")).await?.entity;
    let changed = Specimen { email: Some("c".to_owned()), serial: Some(7), ..second };
    equal(table.update(changed, None).await, conflict("serial"))?;
    table.insert(mailed("c")).await?;
    equal(table.insert(mailed("b")).await, conflict("email"))
}

async fn another_scope_has_values_of_its_own<S: Repository<Specimen>>(store: &S) -> Outcome {
    let first = Table::scoped(store, members(), Scope::new().with("tenant", 1));
    let second = Table::scoped(store, members(), Scope::new().with("tenant", 2));
    first.insert(mailed("a")).await?;
    let other = second.insert(mailed("a")).await?.entity;
    second.update(Specimen { label: "b".to_owned(), ..other }, None).await?;
    first.holds(&["a"]).await?;
    second.holds(&["b"]).await
}

async fn a_value_is_taken_within_its_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let first = Table::scoped(store, members(), Scope::new().with("tenant", 1));
    first.insert(mailed("a")).await?;
    equal(first.insert(mailed("a")).await, conflict("email"))?;
    let everywhere = Table::new(store, members());
    equal(everywhere.insert(Specimen { tenant: 1, ..mailed("a") }).await, conflict("email"))?;
    everywhere.insert(Specimen { tenant: 2, ..mailed("a") }).await?;
    everywhere.holds(&["a", "a"]).await
}
