//! Test cases for filters that depend on related entities.

use restwright_list::{Comparison, Exists, Expression, Related};
use restwright_resource::{EntityDefinition, Read, Scope, Statement, Store};

use crate::specimen::{items, pets, visits};
use crate::table::{StoreFailure, TestTable, holds, labelled};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "existence";
    related_entities_are_in_the_same_scope,
    links_compare_fields_and_never_null,
    a_definition_can_be_related_to_itself,
    related_conditions_that_do_not_fit_are_errors,
);

fn of(store: &dyn Store, definition: EntityDefinition, tenant: i64) -> TestTable<'_> {
    TestTable::scoped(store, definition, Scope::new().with("tenant", tenant))
}

fn related(name: &str, conditions: impl Into<Related>) -> Expression {
    Exists::new(name.to_owned(), conditions).into()
}

fn label(label: &str) -> Expression {
    Expression::condition("label", Comparison::Eq(label.to_owned().into()))
}

/// Returns a filter for pets that have a visit with the same label as the pet.
fn visited() -> Expression {
    related("suite_visits", Related::same("label", "label"))
}

async fn related_entities_are_in_the_same_scope(store: &dyn Store) -> CaseResult {
    let (one, two) = (of(store, pets(), 1), of(store, pets(), 2));
    one.insert_all([labelled("a"), labelled("b")]).await?;
    two.insert_all([labelled("a"), labelled("c")]).await?;
    of(store, visits(), 1).insert_all([labelled("a"), labelled("a")]).await?;
    of(store, visits(), 2).insert_all([labelled("b"), labelled("c")]).await?;
    equal(one.labels(visited(), "label").await?, vec!["a".to_owned()])?;
    equal(one.labels(!visited(), "label").await?, vec!["b".to_owned()])?;
    equal(one.labels(visited().or(label("b")), "label").await?, vec!["a".to_owned(), "b".to_owned()])?;
    equal(one.labels(visited().and(label("b")), "label").await?, Vec::new())?;
    equal(two.labels(visited(), "-label").await?, vec!["c".to_owned()])?;
    equal((one.count(visited()).await?, two.count(!visited()).await?), (1, 1))?;
    // Without a scope, each entity is still compared only with entities of the same tenant.
    let all = TestTable::new(store, pets());
    equal(all.labels(visited(), "label").await?, vec!["a".to_owned(), "c".to_owned()])?;
    // Without a link, one related entity in the scope suffices.
    let any_b = || related("suite_visits", label("b"));
    equal((one.count(any_b()).await?, two.count(any_b()).await?), (0, 2))?;
    let any = async |table: &TestTable<'_>, condition| {
        holds(store, Statement::new(&table.definition).scoped(&table.scope), Read::Any(&condition)).await
    };
    equal(
        (any(&one, label("c")).await?, any(&two, label("c")).await?, any(&all, label("c")).await?),
        (false, true, true),
    )?;
    equal((any(&one, visited().and(label("b"))).await?, any(&one, visited()).await?), (false, true))
}

async fn links_compare_fields_and_never_null(store: &dyn Store) -> CaseResult {
    let (pets, visits) = (of(store, pets(), 1), of(store, visits(), 1));
    let first = pets.insert(labelled("first")).await?.entity.id;
    let second = pets.insert(labelled("second")).await?.entity.id;
    visits.insert(Specimen { parent: Some(second), ..labelled("x") }).await?;
    visits.insert(labelled("y")).await?;
    let with = |text: &str| related("suite_visits", Related::same("parent", "id").and(label(text)));
    equal(pets.labels(with("x"), "label").await?, vec!["second".to_owned()])?;
    equal(pets.count(with("y")).await?, 0)?;
    // Both owners are null.
    equal(pets.count(related("suite_visits", Related::same("owner", "owner"))).await?, 0)?;
    let exists = async |id: i64| {
        let read = Read::Exists { identifier: &id.into(), condition: &with("x") };
        holds(store, pets.statement(), read).await
    };
    equal((exists(first).await?, exists(second).await?), (false, true))
}

async fn a_definition_can_be_related_to_itself(store: &dyn Store) -> CaseResult {
    let items = of(store, items(), 1);
    let item = |id, parent| Specimen { id, parent, ..labelled(&id.to_string()) };
    items.insert_all([item(1, None), item(2, Some(1)), item(3, Some(2))]).await?;
    let has_child = related("suite_items", Related::same("parent", "id"));
    equal(items.labels(has_child, "label").await?, vec!["1".to_owned(), "2".to_owned()])
}

async fn related_conditions_that_do_not_fit_are_errors(store: &dyn Store) -> CaseResult {
    let (pets, visits) = (of(store, pets(), 1), of(store, visits(), 1));
    pets.insert(labelled("a")).await?;
    visits.insert(labelled("a")).await?;
    let nested = Related::from(related("suite_pets", Related::same("label", "label")));
    for condition in [
        related("suite_nothing", Related::same("label", "label")),
        related("suite_visits", Related::same("label", "nothing")),
        related("suite_visits", Related::same("nothing", "label")),
        related("suite_visits", Related::same("label", "id")),
        related("suite_visits", Expression::condition("nothing", Comparison::IsNull(true))),
        related("suite_visits", nested),
    ] {
        let shown = format!("{condition:?}");
        let failed = pets.count(condition).await;
        ensure(matches!(failed, Err(StoreFailure::Failed(_))), &format!("{shown} must be an error"))?;
    }
    Ok(())
}
