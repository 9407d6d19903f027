//! Test cases for references between entities, and for checks that an entity exists.

use restwright_list::{Comparison, Expression, Value};
use restwright_resource::{EntityDefinition, Scope, Store};

use crate::specimen::{categories, documents, items, nodes, orders, owners, parts, pets, tickets, visits};
use crate::table::{StoreFailure, TestTable, labelled};
use crate::{CaseResult, Specimen, cases, equal};

cases!(
    "references";
    a_missing_reference_names_its_field_and_changes_nothing,
    a_remaining_reference_prevents_a_delete,
    references_stay_within_the_scope,
    a_cascade_deletes_only_entities_that_refer_to_the_target,
    a_cascade_follows_chains_and_cycles,
    a_cascade_fails_at_a_restricting_reference,
    a_reference_from_an_entity_in_the_same_cascade_does_not_restrict,
    a_kept_reference_survives_the_delete_of_its_target,
    a_kept_reference_is_checked_in_the_order_of_the_fields,
);

fn of(store: &dyn Store, definition: EntityDefinition, tenant: i64) -> TestTable<'_> {
    TestTable::scoped(store, definition, Scope::new().with("tenant", tenant))
}

fn missing<T>(field: &str) -> Result<T, StoreFailure> {
    Err(StoreFailure::MissingReference(field.to_owned()))
}

fn referenced<T>(by: &str) -> Result<T, StoreFailure> {
    Err(StoreFailure::Referenced(by.to_owned()))
}

fn category(code: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(code) }
}

fn node(id: i64, parent: Option<i64>, owner: Option<i64>) -> Specimen {
    Specimen { id, parent, owner, ..labelled(&id.to_string()) }
}

async fn a_missing_reference_names_its_field_and_changes_nothing(store: &dyn Store) -> CaseResult {
    let (owners, pets) = (of(store, owners(), 1), of(store, pets(), 1));
    let pet = |owner| Specimen { owner, ..labelled("p") };
    // The target's table is still empty.
    equal(pets.insert(pet(Some(1))).await, missing("owner"))?;
    equal(pets.insert(Specimen { category: Some("c".to_owned()), ..pet(None) }).await, missing("category"))?;
    let owner = owners.insert(labelled("o")).await?.entity.id;
    equal(pets.insert(pet(Some(owner + 1))).await, missing("owner"))?;
    pets.holds(&[]).await?;
    // Null does not refer to an entity.
    pets.insert(pet(None)).await?;
    let inserted = pets.insert(pet(Some(owner))).await?;
    let changed = Specimen { owner: Some(owner + 1), label: "q".to_owned(), ..inserted.entity.clone() };
    equal(pets.update(changed, None).await, missing("owner"))?;
    equal(pets.get(inserted.entity.id).await?, inserted.clone())?;
    equal(inserted.entity.owner, Some(owner))
}

async fn a_remaining_reference_prevents_a_delete(store: &dyn Store) -> CaseResult {
    let (owners, pets) = (of(store, owners(), 1), of(store, pets(), 1));
    let (first, second) = (owners.insert(labelled("1")).await?, owners.insert(labelled("2")).await?.entity.id);
    let pet = pets.insert(Specimen { owner: Some(first.entity.id), ..labelled("p") }).await?.entity;
    equal(owners.delete(first.entity.id, None).await, referenced("suite_pets"))?;
    let updated = owners.update(first.entity.clone(), None).await?;
    // A stale version takes precedence over a reference.
    equal(owners.delete(first.entity.id, Some(first.version)).await, Err(StoreFailure::StaleVersion))?;
    pets.update(Specimen { owner: Some(second), ..pet.clone() }, None).await?;
    owners.delete(first.entity.id, Some(updated.version)).await?;
    equal(owners.delete(second, None).await, referenced("suite_pets"))?;
    pets.update(Specimen { owner: None, ..pet.clone() }, None).await?;
    owners.delete(second, None).await?;
    owners.holds(&[]).await?;
    // A deleted target counts as missing.
    equal(pets.update(Specimen { owner: Some(second), ..pet }, None).await, missing("owner"))
}

async fn references_stay_within_the_scope(store: &dyn Store) -> CaseResult {
    let [pets_of_1, pets_of_2] = [1, 2].map(|tenant| of(store, pets(), tenant));
    let [of_1, of_2] = [1, 2].map(|tenant| of(store, categories(), tenant));
    let owner = of(store, owners(), 1).insert(labelled("o")).await?.entity.id;
    let pet = pets_of_2.insert(labelled("p")).await?.entity;
    let of_other = Specimen { owner: Some(owner), ..pet };
    equal(pets_of_2.insert(of_other.clone()).await, missing("owner"))?;
    equal(pets_of_2.update(of_other, None).await, missing("owner"))?;
    of(store, owners(), 1).delete(owner, None).await?;
    // Identifiers are given and separate for each scope.
    of_1.insert(category("cat")).await?;
    let cat = || Specimen { category: Some("cat".to_owned()), ..labelled("p") };
    equal(pets_of_2.insert(cat()).await, missing("category"))?;
    pets_of_1.insert(cat()).await?;
    of_2.insert(category("cat")).await?;
    of_2.delete("cat", None).await?;
    equal(of_1.delete("cat", None).await, referenced("suite_pets"))?;
    // Two scope fields.
    let document = |tenant: i64, project: &str| {
        TestTable::scoped(store, documents(), Scope::new().with("tenant", tenant).with("project", project.to_owned()))
    };
    document(1, "p").insert(category("a")).await?;
    let refers = || Specimen { category: Some("a".to_owned()), ..category("b") };
    equal(document(1, "q").insert(refers()).await, missing("category"))?;
    document(1, "p").insert(refers()).await?;
    equal(document(1, "p").delete("a", None).await, referenced("suite_documents"))
}

async fn a_cascade_deletes_only_entities_that_refer_to_the_target(store: &dyn Store) -> CaseResult {
    let (pets, visits) = (of(store, pets(), 1), of(store, visits(), 1));
    let (first, second) = (pets.insert(labelled("1")).await?.entity.id, pets.insert(labelled("2")).await?.entity.id);
    let visit = |label, parent| Specimen { parent, ..labelled(label) };
    visits.insert_all([visit("v1", Some(first)), visit("v2", Some(second)), visit("v3", None)]).await?;
    pets.delete(first, None).await?;
    visits.holds(&["v2", "v3"]).await
}

async fn a_cascade_follows_chains_and_cycles(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, nodes());
    let chain = [node(1, None, None), node(2, Some(1), None), node(3, Some(2), None), node(4, Some(3), None)];
    table.insert_all(chain.into_iter().chain([node(5, None, None)])).await?;
    table.update(node(1, Some(4), None), None).await?;
    table.delete(3, None).await?;
    table.holds(&["5"]).await?;
    // The node may refer to itself, so the other reference is the missing one.
    equal(table.insert(node(6, Some(6), Some(7))).await, missing("owner"))?;
    table.insert(node(6, Some(6), Some(6))).await?;
    table.delete(6, None).await?;
    table.holds(&["5"]).await
}

async fn a_cascade_fails_at_a_restricting_reference(store: &dyn Store) -> CaseResult {
    let (owners, pets, visits) = (of(store, owners(), 1), of(store, pets(), 1), of(store, visits(), 1));
    let owner = owners.insert(labelled("o")).await?.entity.id;
    pets.insert(Specimen { owner: Some(owner), ..labelled("p") }).await?;
    visits.insert(Specimen { owner: Some(owner), ..labelled("v") }).await?;
    equal(owners.delete(owner, None).await, referenced("suite_pets"))?;
    visits.holds(&["v"]).await?;
    owners.holds(&["o"]).await
}

async fn a_reference_from_an_entity_in_the_same_cascade_does_not_restrict(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, nodes());
    table.insert_all([node(1, None, None), node(2, Some(1), Some(1))]).await?;
    table.delete(1, None).await?;
    table.holds(&[]).await?;
    // A part refers to the category that is deleted together with the item of the part.
    of(store, categories(), 1).insert(category("a")).await?;
    let a = || Some("a".to_owned());
    of(store, items(), 1).insert(Specimen { id: 1, category: a(), ..labelled("item") }).await?;
    of(store, parts(), 1).insert(Specimen { parent: Some(1), category: a(), ..labelled("part") }).await?;
    of(store, categories(), 1).delete("a", None).await?;
    of(store, parts(), 1).holds(&[]).await
}

async fn a_kept_reference_survives_the_delete_of_its_target(store: &dyn Store) -> CaseResult {
    let (pets, orders) = (of(store, pets(), 1), of(store, orders(), 1));
    let pet = pets.insert(labelled("p")).await?.entity.id;
    let order = |label: &str, owner| Specimen { owner, ..labelled(label) };
    equal(orders.insert(order("o", Some(pet + 1))).await, missing("owner"))?;
    equal(of(store, self::orders(), 2).insert(order("o", Some(pet))).await, missing("owner"))?;
    let first = orders.insert(order("1", Some(pet))).await?.entity;
    let second = orders.insert(order("2", None)).await?.entity;
    pets.delete(pet, None).await?;
    orders.holds(&["1", "2"]).await?;
    equal(orders.get(first.id).await?.entity.owner, Some(pet))?;
    // A deleted target counts as missing for a new reference. An unchanged reference stays valid.
    equal(orders.insert(order("3", Some(pet))).await, missing("owner"))?;
    equal(orders.update(Specimen { owner: Some(pet), ..second }, None).await, missing("owner"))?;
    let changed = orders.update(Specimen { label: "4".to_owned(), ..first.clone() }, None).await?;
    equal(orders.update(Specimen { owner: Some(pet + 1), ..first.clone() }, None).await, missing("owner"))?;
    equal(orders.get(first.id).await?, changed)?;
    // A removed reference cannot be set again.
    orders.update(Specimen { owner: None, ..first.clone() }, None).await?;
    equal(orders.update(first.clone(), None).await, missing("owner"))?;
    // An order may refer to itself, and to identifiers that clients choose.
    orders.update(Specimen { owner: None, parent: Some(first.id), ..first.clone() }, None).await?;
    of(store, categories(), 1).insert(category("c")).await?;
    let with_category = orders.insert(Specimen { category: Some("c".to_owned()), ..labelled("5") }).await?.entity;
    of(store, categories(), 1).delete("c", None).await?;
    orders.update(Specimen { label: "6".to_owned(), ..with_category }, None).await?;
    // A target that stays in the store after a delete counts as missing, too.
    let ticket = of(store, tickets(), 1).insert(labelled("t")).await?.entity.id;
    let with_ticket = orders.insert(Specimen { serial: Some(ticket), ..labelled("7") }).await?.entity;
    of(store, tickets(), 1).delete(ticket, None).await?;
    orders.update(Specimen { label: "8".to_owned(), ..with_ticket.clone() }, None).await?;
    equal(orders.insert(Specimen { serial: Some(ticket), ..labelled("9") }).await, missing("serial"))?;
    orders.holds(&["1", "2", "6", "8"]).await
}

async fn a_kept_reference_is_checked_in_the_order_of_the_fields(store: &dyn Store) -> CaseResult {
    let orders = of(store, orders(), 1);
    let order = |owner, integer, serial| Specimen { owner, integer, serial, ..labelled("o") };
    equal(orders.insert(order(Some(7), Some(7), Some(7))).await, missing("owner"))?;
    equal(orders.insert(order(None, Some(7), Some(7))).await, missing("serial"))?;
    equal(orders.insert(order(None, Some(7), None)).await, missing("integer"))?;
    orders.holds(&[]).await
}

/// Test cases for [`Read::Exists`](restwright_resource::Read::Exists).
pub(crate) mod existence {
    use restwright_resource::Read;

    use super::{
        CaseResult, Comparison, Expression, Scope, Store, TestTable, Value, cases, category, documents, equal,
    };
    use crate::table::holds;

    cases!("existence"; an_entity_exists_in_its_scope_until_it_is_deleted);

    async fn an_entity_exists_in_its_scope_until_it_is_deleted(store: &dyn Store) -> CaseResult {
        let table = |tenant: i64, project: &str| {
            TestTable::scoped(
                store,
                documents(),
                Scope::new().with("tenant", tenant).with("project", project.to_owned()),
            )
        };
        let exists_if = async |table: TestTable<'_>, code: &str, condition: Expression| {
            let read = Read::Exists { identifier: &Value::from(code), condition: &condition };
            holds(store, table.statement(), read).await
        };
        let exists = async |table, code: &str| exists_if(table, code, Expression::TRUE).await;
        equal(exists(table(1, "x"), "a").await?, false)?;
        table(1, "x").insert(category("a")).await?;
        for (tenant, project, code, expected) in
            [(1, "x", "a", true), (1, "x", "A", false), (1, "y", "a", false), (2, "x", "a", false)]
        {
            equal(exists(table(tenant, project), code).await?, expected)?;
        }
        let label = |comparison| Expression::condition("label", comparison);
        for (condition, expected) in [
            (label(Comparison::Eq("a".into())), true),
            (label(Comparison::Eq("other".into())), false),
            (label(Comparison::IsNull(true)), false),
            (!label(Comparison::Eq("other".into())), true),
            (Expression::Any(Vec::new()), false),
            (label(Comparison::Eq("other".into())).or(label(Comparison::Gte("a".into()))), true),
        ] {
            equal(exists_if(table(1, "x"), "a", condition.clone()).await?, expected)?;
            equal(exists_if(table(1, "y"), "a", condition).await?, false)?;
        }
        table(1, "x").delete("a", None).await?;
        equal(exists(table(1, "x"), "a").await?, false)
    }
}
