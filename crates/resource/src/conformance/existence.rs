//! Cases of the existence of entities whose type is not known.

use super::specimen::{documents, members, texts};
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, equal};
use crate::store::{Repository, Scope};

cases!(
    "existence";
    what_is_inserted_exists,
    what_was_deleted_does_not_exist,
    nothing_exists_in_a_store_without_entities,
    what_another_scope_has_does_not_exist,
    a_given_identifier_exists_in_its_scope,
);

async fn exists<S: Repository<Specimen>>(
    table: &Table<'_, S>,
    identifier: impl Into<restwright_list::Value<'static>>,
) -> Result<bool, Failure> {
    Ok(table.store.exists(table.statement(), &identifier.into()).await?)
}

async fn what_is_inserted_exists<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(Specimen { code: "a".to_owned(), ..labelled("0") }).await?;
    equal(exists(&table, "a").await?, true)?;
    equal(exists(&table, "A").await?, false)
}

async fn what_was_deleted_does_not_exist<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(Specimen { code: "a".to_owned(), ..labelled("0") }).await?;
    table.delete("a", None).await?;
    equal(exists(&table, "a").await?, false)
}

async fn nothing_exists_in_a_store_without_entities<S: Repository<Specimen>>(store: &S) -> Outcome {
    equal(exists(&Table::new(store, texts()), "a").await?, false)
}

async fn what_another_scope_has_does_not_exist<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = |tenant: i64| Table::scoped(store, members(), Scope::new().with("tenant", tenant));
    let id = table(1).insert(labelled("0")).await?.entity.id;
    equal(exists(&table(1), id).await?, true)?;
    equal(exists(&table(2), id).await?, false)?;
    equal(exists(&Table::new(store, members()), id).await?, true)
}

async fn a_given_identifier_exists_in_its_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = |tenant: i64, project: &str| {
        Table::scoped(store, documents(), Scope::new().with("tenant", tenant).with("project", project.to_owned()))
    };
    table(1, "x").insert(Specimen { code: "a".to_owned(), ..labelled("0") }).await?;
    equal(exists(&table(1, "x"), "a").await?, true)?;
    equal(exists(&table(1, "y"), "a").await?, false)?;
    equal(exists(&table(2, "x"), "a").await?, false)
}
