//! References between entities.

use super::specimen::{categories, nodes, owners, pets, visits};
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, equal};
use crate::store::{Repository, Scope};

cases!(
    "references";
    a_reference_to_an_entity_is_kept,
    a_reference_to_nothing_names_its_field,
    a_reference_before_any_target_names_its_field,
    a_null_refers_to_nothing,
    an_update_to_a_missing_target_changes_nothing,
    an_update_to_another_target_frees_the_first,
    an_update_to_null_frees_the_target,
    a_deleted_target_is_missing,
    what_is_referenced_is_not_deleted,
    what_is_referenced_may_be_updated,
    what_was_referenced_is_deleted,
    a_stale_version_wins_over_a_reference,
    a_cascade_deletes_what_refers,
    a_cascade_leaves_the_others,
    a_cascade_stops_at_what_is_referenced,
    a_cascade_reaches_over_several,
    a_cascade_may_go_round,
    an_entity_may_refer_to_itself,
    what_goes_together_does_not_hold,
    a_target_of_another_scope_is_missing,
    a_given_target_is_one_of_the_scope,
    a_given_target_of_another_scope_does_not_hold,
);

/// The kinds of entities that refer to each other, in one tenant.
struct Shelter<'s, S> {
    owners: Table<'s, S>,
    pets: Table<'s, S>,
    visits: Table<'s, S>,
    categories: Table<'s, S>,
}

fn shelter<S: Repository<Specimen>>(store: &S, tenant: i64) -> Shelter<'_, S> {
    let table = |definition| Table::scoped(store, definition, Scope::new().with("tenant", tenant));
    Shelter { owners: table(owners()), pets: table(pets()), visits: table(visits()), categories: table(categories()) }
}

impl<S: Repository<Specimen>> Shelter<'_, S> {
    async fn owner(&self, label: &str) -> Result<i64, Failure> {
        Ok(self.owners.insert(labelled(label)).await?.entity.id)
    }

    async fn pet(&self, label: &str, owner: Option<i64>) -> Result<Specimen, Failure> {
        Ok(self.pets.insert(Specimen { owner, ..labelled(label) }).await?.entity)
    }

    async fn visit(&self, label: &str, pet: Option<i64>, owner: Option<i64>) -> Result<Specimen, Failure> {
        Ok(self.visits.insert(Specimen { parent: pet, owner, ..labelled(label) }).await?.entity)
    }
}

fn missing<T>(field: &str) -> Result<T, Failure> {
    Err(Failure::MissingReference(field.to_owned()))
}

fn referenced<T>(by: &str) -> Result<T, Failure> {
    Err(Failure::Referenced(by.to_owned()))
}

fn node(id: i64, parent: Option<i64>, owner: Option<i64>) -> Specimen {
    Specimen { id, parent, owner, ..labelled(&id.to_string()) }
}

async fn a_reference_to_an_entity_is_kept<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    let pet = shelter.pet("p", Some(owner)).await?;
    equal(shelter.pets.get(pet.id).await?.entity.owner, Some(owner))
}

async fn a_reference_to_nothing_names_its_field<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    equal(shelter.pet("p", Some(owner + 1)).await, missing("owner"))?;
    shelter.pets.holds(&[]).await
}

async fn a_reference_before_any_target_names_its_field<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    equal(shelter.pet("p", Some(1)).await, missing("owner"))?;
    equal(shelter.visit("v", Some(1), None).await, missing("parent"))
}

async fn a_null_refers_to_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    shelter.pet("p", None).await?;
    shelter.pets.holds(&["p"]).await
}

async fn an_update_to_a_missing_target_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    let pet = shelter.pet("p", Some(owner)).await?;
    let changed = Specimen { owner: Some(owner + 1), label: "q".to_owned(), ..pet.clone() };
    equal(shelter.pets.update(changed, None).await, missing("owner"))?;
    equal(shelter.pets.get(pet.id).await?.entity, pet)
}

async fn an_update_to_another_target_frees_the_first<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let (first, second) = (shelter.owner("1").await?, shelter.owner("2").await?);
    let pet = shelter.pet("p", Some(first)).await?;
    shelter.pets.update(Specimen { owner: Some(second), ..pet }, None).await?;
    shelter.owners.delete(first, None).await?;
    equal(shelter.owners.delete(second, None).await, referenced("suite_pets"))
}

async fn an_update_to_null_frees_the_target<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    let pet = shelter.pet("p", Some(owner)).await?;
    shelter.pets.update(Specimen { owner: None, ..pet }, None).await?;
    shelter.owners.delete(owner, None).await?;
    shelter.owners.holds(&[]).await
}

async fn a_deleted_target_is_missing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    shelter.owners.delete(owner, None).await?;
    equal(shelter.pet("p", Some(owner)).await, missing("owner"))
}

async fn what_is_referenced_is_not_deleted<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    shelter.pet("p", Some(owner)).await?;
    equal(shelter.owners.delete(owner, None).await, referenced("suite_pets"))?;
    shelter.owners.holds(&["o"]).await
}

async fn what_is_referenced_may_be_updated<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    shelter.pet("p", Some(owner)).await?;
    shelter.owners.update(Specimen { id: owner, ..labelled("other") }, None).await?;
    equal(shelter.owners.delete(owner, None).await, referenced("suite_pets"))
}

async fn what_was_referenced_is_deleted<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    let pet = shelter.pet("p", Some(owner)).await?;
    shelter.pets.delete(pet.id, None).await?;
    shelter.owners.delete(owner, None).await?;
    shelter.owners.holds(&[]).await
}

async fn a_stale_version_wins_over_a_reference<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owners.insert(labelled("o")).await?;
    shelter.pet("p", Some(owner.entity.id)).await?;
    shelter.owners.update(owner.entity.clone(), None).await?;
    equal(shelter.owners.delete(owner.entity.id, Some(owner.version)).await, Err(Failure::StaleVersion))
}

async fn a_cascade_deletes_what_refers<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let pet = shelter.pet("p", None).await?;
    let visit = shelter.visit("v", Some(pet.id), None).await?;
    shelter.pets.delete(pet.id, None).await?;
    equal(shelter.visits.find(visit.id).await?, None)?;
    shelter.visits.holds(&[]).await
}

async fn a_cascade_leaves_the_others<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let (first, second) = (shelter.pet("1", None).await?, shelter.pet("2", None).await?);
    shelter.visit("v1", Some(first.id), None).await?;
    shelter.visit("v2", Some(second.id), None).await?;
    shelter.visit("v3", None, None).await?;
    shelter.pets.delete(first.id, None).await?;
    shelter.visits.holds(&["v2", "v3"]).await
}

async fn a_cascade_stops_at_what_is_referenced<S: Repository<Specimen>>(store: &S) -> Outcome {
    let shelter = shelter(store, 1);
    let owner = shelter.owner("o").await?;
    shelter.pet("p", Some(owner)).await?;
    shelter.visit("v", None, Some(owner)).await?;
    equal(shelter.owners.delete(owner, None).await, referenced("suite_pets"))?;
    shelter.visits.holds(&["v"]).await
}

async fn a_cascade_reaches_over_several<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, nodes());
    table
        .insert_all([node(1, None, None), node(2, Some(1), None), node(3, Some(2), None), node(4, None, None)])
        .await?;
    table.delete(1, None).await?;
    table.holds(&["4"]).await
}

async fn a_cascade_may_go_round<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, nodes());
    table.insert_all([node(1, None, None), node(2, Some(1), None)]).await?;
    table.update(node(1, Some(2), None), None).await?;
    table.delete(2, None).await?;
    table.holds(&[]).await
}

async fn an_entity_may_refer_to_itself<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, nodes());
    table.insert(node(1, Some(1), Some(1))).await?;
    table.delete(1, None).await?;
    table.holds(&[]).await
}

async fn what_goes_together_does_not_hold<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, nodes());
    table.insert_all([node(1, None, None), node(2, Some(1), Some(1))]).await?;
    table.delete(1, None).await?;
    table.holds(&[]).await
}

async fn a_target_of_another_scope_is_missing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (first, second) = (shelter(store, 1), shelter(store, 2));
    let owner = first.owner("o").await?;
    equal(second.pet("p", Some(owner)).await, missing("owner"))?;
    let pet = second.pet("p", None).await?;
    equal(second.pets.update(Specimen { owner: Some(owner), ..pet }, None).await, missing("owner"))?;
    first.owners.delete(owner, None).await.map_err(String::from)
}

async fn a_given_target_is_one_of_the_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (first, second) = (shelter(store, 1), shelter(store, 2));
    first.categories.insert(Specimen { code: "cat".to_owned(), ..labelled("cat") }).await?;
    let pet = || Specimen { category: Some("cat".to_owned()), ..labelled("p") };
    equal(second.pets.insert(pet()).await, missing("category"))?;
    first.pets.insert(pet()).await?;
    equal(first.categories.delete("cat", None).await, referenced("suite_pets"))
}

async fn a_given_target_of_another_scope_does_not_hold<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (first, second) = (shelter(store, 1), shelter(store, 2));
    for shelter in [&first, &second] {
        shelter.categories.insert(Specimen { code: "cat".to_owned(), ..labelled("cat") }).await?;
    }
    first.pets.insert(Specimen { category: Some("cat".to_owned()), ..labelled("p") }).await?;
    second.categories.delete("cat", None).await?;
    first.categories.holds(&["cat"]).await?;
    second.categories.holds(&[]).await
}
