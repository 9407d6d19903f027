//! Scopes: a statement neither sees nor changes what is in another.

use restwright_list::{Comparison, Direction, Expression, Position, SortBag, SortFields, Window};

use super::specimen::{documents, members, texts};
use super::table::{Failure, Table, labelled, when};
use super::{Outcome, Specimen, cases, ensure, equal};
use crate::definition::EntityDefinition;
use crate::store::{ListQuery, Repository, Scope};

cases!(
    "scopes";
    what_is_inserted_is_in_the_scope,
    the_scope_wins_over_what_is_given,
    find_sees_its_scope_alone,
    list_sees_its_scope_alone,
    count_sees_its_scope_alone,
    a_filter_cannot_leave_the_scope,
    a_position_of_another_scope_stays_within_the_scope,
    update_finds_nothing_in_another_scope,
    delete_finds_nothing_in_another_scope,
    an_update_does_not_move_into_the_scope,
    an_update_without_a_scope_does_not_move,
    a_statement_without_a_scope_sees_all,
    a_given_identifier_is_taken_for_each_scope_apart,
    a_given_identifier_is_found_in_its_scope,
    a_given_identifier_is_updated_in_its_scope,
    a_given_identifier_is_deleted_in_its_scope,
    a_part_of_the_scope_lists,
    a_given_identifier_needs_the_whole_scope,
    a_scope_that_the_definition_lacks_is_a_mistake,
    a_filter_that_the_definition_lacks_is_a_mistake,
    an_order_that_the_definition_lacks_is_a_mistake,
    hostile_texts_are_scopes,
);

fn of<S: Repository<Specimen>>(store: &S, tenant: i64) -> Table<'_, S> {
    Table::scoped(store, members(), Scope::new().with("tenant", tenant))
}

fn documents_of<'s, S: Repository<Specimen>>(store: &'s S, tenant: i64, project: &str) -> Table<'s, S> {
    Table::scoped(store, documents(), Scope::new().with("tenant", tenant).with("project", project.to_owned()))
}

fn document(code: &str, label: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(label) }
}

fn is_failed<T>(outcome: &Result<T, Failure>) -> Outcome {
    ensure(matches!(outcome, Err(Failure::Failed(_))), "the statement is no mistake")
}

async fn what_is_inserted_is_in_the_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?.entity;
    equal(inserted.tenant, 1)?;
    equal(of(store, 1).get(inserted.id).await?.entity.tenant, 1)
}

async fn the_scope_wins_over_what_is_given<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(Specimen { tenant: 2, ..labelled("a") }).await?.entity;
    equal(inserted.tenant, 1)?;
    of(store, 2).holds(&[]).await
}

async fn find_sees_its_scope_alone<S: Repository<Specimen>>(store: &S) -> Outcome {
    let id = of(store, 1).insert(labelled("a")).await?.entity.id;
    equal(of(store, 2).find(id).await?, None)
}

async fn list_sees_its_scope_alone<S: Repository<Specimen>>(store: &S) -> Outcome {
    of(store, 1).insert_all(["a", "b"].map(labelled)).await?;
    of(store, 2).insert(labelled("c")).await?;
    of(store, 1).holds(&["a", "b"]).await?;
    of(store, 2).holds(&["c"]).await?;
    of(store, 3).holds(&[]).await
}

async fn count_sees_its_scope_alone<S: Repository<Specimen>>(store: &S) -> Outcome {
    of(store, 1).insert_all(["a", "b"].map(labelled)).await?;
    equal(of(store, 2).count(Expression::TRUE).await?, 0)?;
    equal(of(store, 1).count(when("label", Comparison::Eq("a".into()))).await?, 1)
}

async fn a_filter_cannot_leave_the_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    of(store, 1).insert(labelled("a")).await?;
    let first = || when("tenant", Comparison::Eq(1.into()));
    for filter in [first(), first().or(Expression::TRUE), Expression::Any(vec![Expression::TRUE]), !!first()] {
        equal(of(store, 2).labels(filter.clone(), "").await?, Vec::new())?;
        equal(of(store, 2).count(filter).await?, 0)?;
    }
    Ok(())
}

async fn a_position_of_another_scope_stays_within_the_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let first = of(store, 1).insert(labelled("a")).await?.entity;
    of(store, 1).insert(labelled("c")).await?;
    of(store, 2).insert(labelled("b")).await?;
    let position = Position::after(of(store, 1).place("label", &first)?);
    let listed = of(store, 2).list(Expression::TRUE, "label", &Window::seek(Some(&position), 5)).await?;
    equal(listed.items.into_iter().map(|item| item.entity.label).collect(), vec!["b".to_owned()])
}

async fn update_finds_nothing_in_another_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?;
    let changed = Specimen { label: "b".to_owned(), ..inserted.entity.clone() };
    equal(of(store, 2).update(changed.clone(), None).await, Err(Failure::NotFound))?;
    equal(of(store, 2).update(changed, Some(inserted.version)).await, Err(Failure::NotFound))?;
    equal(of(store, 1).get(inserted.entity.id).await?, inserted)
}

async fn delete_finds_nothing_in_another_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?;
    equal(of(store, 2).delete(inserted.entity.id, None).await, Err(Failure::NotFound))?;
    equal(of(store, 2).delete(inserted.entity.id, Some(inserted.version)).await, Err(Failure::NotFound))?;
    of(store, 1).holds(&["a"]).await
}

async fn an_update_does_not_move_into_the_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?.entity;
    let moved = Specimen { tenant: 2, label: "b".to_owned(), ..inserted };
    equal(of(store, 1).update(moved, None).await?.entity.tenant, 1)?;
    of(store, 1).holds(&["b"]).await?;
    of(store, 2).holds(&[]).await
}

async fn an_update_without_a_scope_does_not_move<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?.entity;
    let everywhere = Table::new(store, members());
    equal(everywhere.update(Specimen { tenant: 2, ..inserted.clone() }, None).await, Err(Failure::NotFound))?;
    everywhere.update(Specimen { label: "b".to_owned(), ..inserted }, None).await?;
    of(store, 1).holds(&["b"]).await
}

async fn a_statement_without_a_scope_sees_all<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = of(store, 1).insert(labelled("a")).await?;
    of(store, 2).insert(labelled("b")).await?;
    let everywhere = Table::new(store, members());
    everywhere.holds(&["a", "b"]).await?;
    equal(&everywhere.get(inserted.entity.id).await?, &inserted)?;
    everywhere.delete(inserted.entity.id, None).await?;
    everywhere.holds(&["b"]).await
}

async fn a_given_identifier_is_taken_for_each_scope_apart<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    documents_of(store, 1, "q").insert(document("a", "1q")).await?;
    documents_of(store, 2, "p").insert(document("a", "2p")).await?;
    equal(documents_of(store, 2, "p").insert(document("a", "2p")).await, Err(Failure::Conflict("code".to_owned())))?;
    Table::new(store, documents()).holds(&["1p", "1q", "2p"]).await
}

async fn a_given_identifier_is_found_in_its_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    documents_of(store, 2, "p").insert(document("a", "2p")).await?;
    equal(documents_of(store, 2, "p").get("a").await?.entity.label, "2p".to_owned())?;
    equal(documents_of(store, 2, "q").find("a").await?, None)
}

async fn a_given_identifier_is_updated_in_its_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    documents_of(store, 2, "p").insert(document("a", "2p")).await?;
    documents_of(store, 2, "p").update(document("a", "changed"), None).await?;
    equal(documents_of(store, 3, "p").update(document("a", "changed"), None).await, Err(Failure::NotFound))?;
    Table::new(store, documents()).holds(&["1p", "changed"]).await
}

async fn a_given_identifier_is_deleted_in_its_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    documents_of(store, 2, "p").insert(document("a", "2p")).await?;
    documents_of(store, 2, "p").delete("a", None).await?;
    equal(documents_of(store, 2, "p").delete("a", None).await, Err(Failure::NotFound))?;
    Table::new(store, documents()).holds(&["1p"]).await
}

async fn a_part_of_the_scope_lists<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    documents_of(store, 1, "q").insert(document("b", "1q")).await?;
    documents_of(store, 2, "p").insert(document("a", "2p")).await?;
    Table::scoped(store, documents(), Scope::new().with("tenant", 1)).holds(&["1p", "1q"]).await?;
    Table::scoped(store, documents(), Scope::new().with("project", "p")).holds(&["1p", "2p"]).await
}

async fn a_given_identifier_needs_the_whole_scope<S: Repository<Specimen>>(store: &S) -> Outcome {
    documents_of(store, 1, "p").insert(document("a", "1p")).await?;
    let part = Table::scoped(store, documents(), Scope::new().with("tenant", 1));
    is_failed(&part.find("a").await)?;
    is_failed(&part.delete("a", None).await)
}

async fn a_scope_that_the_definition_lacks_is_a_mistake<S: Repository<Specimen>>(store: &S) -> Outcome {
    let wrong = |definition: EntityDefinition, field: &'static str| {
        Table::scoped(store, definition, Scope::new().with(field, "a"))
    };
    for table in [wrong(texts(), "project"), wrong(texts(), "label"), wrong(texts(), "unknown")] {
        is_failed(&table.insert(document("a", "a")).await)?;
        is_failed(&table.find("a").await)?;
        is_failed(&table.count(Expression::TRUE).await)?;
    }
    Table::new(store, texts()).holds(&[]).await
}

async fn a_filter_that_the_definition_lacks_is_a_mistake<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = of(store, 1);
    let unknown = || !when("label", Comparison::IsNull(true)).and(when("text", Comparison::IsNull(true)));
    is_failed(&table.labels(unknown(), "").await)?;
    is_failed(&table.count(unknown()).await)
}

async fn an_order_that_the_definition_lacks_is_a_mistake<S: Repository<Specimen>>(store: &S) -> Outcome {
    let fields = SortFields::by_identifier("id").field("text");
    let order = SortBag::among(&fields, [("text", Direction::Ascending)]);
    let order = order.ok_or("no order")?;
    let window = Window::seek(None, 1);
    let query = ListQuery::new(Expression::TRUE, &order, &window);
    let table = of(store, 1);
    is_failed(&store.list(table.statement(), &query).await.map_err(Failure::from))
}

async fn hostile_texts_are_scopes<S: Repository<Specimen>>(store: &S) -> Outcome {
    for project in ["", "' OR 1=1 --", "%", "_", "\\", "🦀", "p\u{0301}"] {
        let table = documents_of(store, 1, project);
        table.insert(document("a", project)).await?;
        table.holds(&[project]).await?;
    }
    equal(Table::new(store, documents()).count(Expression::TRUE).await?, 7)
}
