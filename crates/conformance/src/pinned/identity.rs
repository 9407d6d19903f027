//! Test cases for identifiers, unique fields and scopes.

use restwright_list::{Comparison, Expression, Window};
use restwright_resource::{ListQuery, Repository, Scope, Store};
use uuid::{Uuid, Variant};

use crate::specimen::{documents, folders, integers, members, texts, uuids};
use crate::table::{StoreFailure, TestTable, labelled, when};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "identity";
    generated_uuids_have_version_7_and_are_ordered_by_time,
    a_generated_integer_is_never_generated_again,
    a_kept_identifier_is_not_generated_later,
    a_given_identifier_is_unique_within_its_whole_scope,
    null_is_not_equal_to_null_in_a_unique_field,
    null_is_equal_to_null_in_a_constraint_that_says_so,
    strings_are_equal_regardless_of_case_in_a_constraint_that_says_so,
    a_duplicate_value_is_a_conflict_of_its_field_and_changes_nothing,
    an_update_or_a_delete_frees_a_unique_value,
    a_value_is_unique_within_its_scope,
    values_are_unique_together,
    a_statement_sees_only_its_scope,
    the_scope_is_set_on_insert_and_never_changes,
    a_partial_scope_can_list_but_not_identify,
    an_undeclared_field_is_an_error,
);

fn conflict<T>(field: &str) -> Result<T, StoreFailure> {
    Err(StoreFailure::Conflict(field.to_owned()))
}

fn mailed(email: &str) -> Specimen {
    Specimen { email: Some(email.to_owned()), ..labelled(email) }
}

fn of(store: &dyn Store, tenant: i64) -> TestTable<'_> {
    TestTable::scoped(store, members(), Scope::new().with("tenant", tenant))
}

fn documents_of<'s>(store: &'s dyn Store, tenant: i64, project: &str) -> TestTable<'s> {
    TestTable::scoped(store, documents(), Scope::new().with("tenant", tenant).with("project", project.to_owned()))
}

fn coded(code: &str, label: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(label) }
}

fn is_failed<T>(outcome: &Result<T, StoreFailure>) -> CaseResult {
    ensure(matches!(outcome, Err(StoreFailure::Failed(_))), "the statement must fail")
}

async fn generated_uuids_have_version_7_and_are_ordered_by_time(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, uuids());
    let given = Uuid::from_u128(7);
    let inserted = table.insert(Specimen { uuid_id: given, ..labelled("a") }).await?;
    let id = inserted.entity.uuid_id;
    equal((id.get_version_num(), id.get_variant()), (7, Variant::RFC4122))?;
    equal(table.get(id).await?, inserted)?;
    equal(table.find(given).await?, None)?;
    table.insert_all(["b", "c", "d", "e"].map(labelled)).await?;
    equal(table.labels(Expression::TRUE, "").await?.concat().as_str(), "abcde")
}

async fn a_generated_integer_is_never_generated_again(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, integers());
    let mut made = vec![table.insert(Specimen { id: 900, ..labelled("a") }).await?.entity.id];
    ensure(made.iter().all(|id| *id > 0 && *id != 900), "a generated identifier must be new")?;
    for _ in 0..5 {
        let id = table.insert(labelled("b")).await?.entity.id;
        ensure(!made.contains(&id), "an identifier must not be generated twice")?;
        table.delete(id, None).await?;
        made.push(id);
    }
    table.holds(&["a"]).await
}

async fn a_kept_identifier_is_not_generated_later(store: &dyn Store) -> CaseResult {
    let (uuids, integers) = (TestTable::new(store, uuids()), TestTable::new(store, integers()));
    let uuid = Uuid::from_u128(7);
    let kept = uuids.insert_kept(Specimen { uuid_id: uuid, ..labelled("a") }).await?;
    equal(kept.entity.uuid_id, uuid)?;
    equal(uuids.get(uuid).await?, kept.clone())?;
    equal(uuids.insert_kept(kept.entity).await, conflict("uuid_id"))?;
    // An identifier that is not set is generated.
    equal(uuids.insert_kept(labelled("b")).await?.entity.uuid_id.get_version_num(), 7)?;
    let mut last = integers.insert_kept(labelled("made")).await?.entity.id;
    for step in [1, 2, 1_000] {
        let kept = integers.insert_kept(Specimen { id: last + step, ..labelled("kept") }).await?.entity;
        equal(kept.id, last + step)?;
        equal(integers.insert_kept(kept.clone()).await, conflict("id"))?;
        for _ in 0..3 {
            last = integers.insert(labelled("made")).await?.entity.id;
            ensure(last != kept.id, "an identifier that another entity keeps must not be generated")?;
        }
    }
    let first = of(store, 1).insert(labelled("a")).await?.entity;
    equal(of(store, 2).insert_kept(first).await, conflict("id"))?;
    // A kept identifier below the last one does not change the next one.
    equal(integers.insert_kept(Specimen { id: -7, ..labelled("kept") }).await?.entity.id, -7)?;
    integers.delete(last, None).await?;
    ensure(integers.insert(labelled("made")).await?.entity.id != last, "an integer must not be generated twice")
}

async fn a_given_identifier_is_unique_within_its_whole_scope(store: &dyn Store) -> CaseResult {
    for (tenant, project) in [(1, "p"), (1, "P"), (1, "' OR 1=1 --"), (2, "p")] {
        let table = documents_of(store, tenant, project);
        let first = table.insert(coded("a", project)).await?;
        table.insert_all([coded("A", "another"), coded("a ", "another")]).await?;
        equal(table.insert(coded("a", "again")).await, conflict("code"))?;
        equal(table.get("a").await?, first)?;
    }
    documents_of(store, 2, "p").update(coded("a", "changed"), None).await?;
    documents_of(store, 1, "P").delete("a", None).await?;
    equal(documents_of(store, 1, "P").delete("a", None).await, Err(StoreFailure::NotFound))?;
    equal(documents_of(store, 2, "q").update(coded("a", "changed"), None).await, Err(StoreFailure::NotFound))?;
    let found = TestTable::new(store, documents()).labels(when("code", Comparison::Eq("a".into())), "label").await?;
    equal(found, ["' OR 1=1 --", "changed", "p"].map(str::to_owned).to_vec())?;
    documents_of(store, 1, "P").insert(coded("a", "given again")).await.map(drop).map_err(String::from)
}

async fn null_is_not_equal_to_null_in_a_unique_field(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, integers());
    table.insert_all(["1", "2", "3"].map(labelled)).await?;
    table.insert_all(["", "A", "a", "a ", "ä", "a\u{308}"].map(mailed)).await?;
    equal(table.insert(mailed("")).await, conflict("email"))?;
    equal(table.count(Expression::TRUE).await?, 9)
}

async fn null_is_equal_to_null_in_a_constraint_that_says_so(store: &dyn Store) -> CaseResult {
    let [first, second] = [1, 2].map(|tenant| TestTable::scoped(store, folders(), Scope::new().with("tenant", tenant)));
    // The other constraints must not conflict.
    let folder = |label: &str, text: Option<&str>, flag: Option<bool>| Specimen {
        text: text.map(str::to_owned),
        flag,
        email: Some(format!("{label}{text:?}{flag:?}")),
        ..labelled(label)
    };
    let both = || conflict("text, flag");
    let root = first.insert(folder("1", None, None)).await?.entity;
    // Null is equal to null, and to no other value.
    for (label, text, flag) in
        [("2", Some(""), None), ("3", Some("a"), None), ("4", None, Some(false)), ("5", Some("a"), Some(false))]
    {
        first.insert(folder(label, text, flag)).await?;
        equal(first.insert(folder("6", text, flag)).await, both())?;
    }
    equal(first.insert(folder("6", None, None)).await, both())?;
    // Other scopes are separate.
    second.insert(folder("1", None, None)).await?;
    let other = first.insert(folder("6", None, Some(true))).await?.entity;
    equal(first.update(Specimen { flag: None, ..other.clone() }, None).await, both())?;
    // An entity does not conflict with its own nulls, and an update or a delete frees them.
    let root = first.update(Specimen { label: "7".to_owned(), ..root }, None).await?.entity;
    first.update(Specimen { text: Some("b".to_owned()), ..root.clone() }, None).await?;
    first.update(Specimen { flag: None, ..other.clone() }, None).await?;
    equal(first.update(root.clone(), None).await, both())?;
    first.delete(other.id, None).await?;
    first.update(root, None).await?;
    // The third field is never null.
    equal(first.insert(folder("7", Some("c"), None)).await, conflict("date, uuid, label"))?;
    first.holds(&["2", "3", "4", "5", "7"]).await
}

async fn strings_are_equal_regardless_of_case_in_a_constraint_that_says_so(store: &dyn Store) -> CaseResult {
    let [first, second] = [1, 2].map(|tenant| TestTable::scoped(store, folders(), Scope::new().with("tenant", tenant)));
    let folder = |label: &str, plain: Option<&str>, email: Option<&str>| Specimen {
        plain: plain.map(str::to_owned),
        email: email.map(str::to_owned),
        text: Some(label.to_owned()),
        ..labelled(label)
    };
    let taken = first.insert(folder("1", Some("Ärger"), Some("x"))).await?.entity;
    equal(first.insert(folder("2", Some("äRGER"), Some("y"))).await, conflict("plain"))?;
    // Spaces count, `ß` is not `ss`, and null is not equal to null. Other scopes are separate.
    for (label, plain) in [("2", Some("Ärger ")), ("3", Some("ss")), ("4", Some("ß")), ("5", None), ("6", None)] {
        first.insert(folder(label, plain, Some(label))).await?;
    }
    equal(first.insert(folder("7", Some("ẞ"), Some("y"))).await, conflict("plain"))?;
    second.insert(folder("1", Some("ÄRGER"), Some("x"))).await?;
    // Filters compare exactly.
    let found = |plain: &str| first.labels(when("plain", Comparison::Eq(plain.to_owned().into())), "");
    equal(found("Ärger").await?, vec!["1".to_owned()])?;
    equal(found("ärger").await?, Vec::new())?;
    // An update may change the case of the value, and then frees it.
    let taken = first.update(Specimen { plain: Some("ÄRGER".to_owned()), ..taken }, None).await?.entity;
    equal(first.insert(folder("7", Some("ärger"), Some("y"))).await, conflict("plain"))?;
    first.update(Specimen { plain: Some("b".to_owned()), ..taken }, None).await?;
    first.insert(folder("7", Some("ärger"), Some("y"))).await?;
    // Together with `nulls_equal`.
    equal(first.insert(folder("8", Some("c"), Some("Y"))).await, conflict("integer, email"))?;
    first.insert(Specimen { integer: Some(1), ..folder("8", Some("c"), Some("Y")) }).await?;
    first.insert(folder("9", Some("d"), None)).await?;
    equal(first.insert(folder("A", Some("e"), None)).await, conflict("integer, email"))
}

async fn a_duplicate_value_is_a_conflict_of_its_field_and_changes_nothing(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, integers());
    table.insert(Specimen { serial: Some(0), ..mailed("a") }).await?;
    equal(table.insert(Specimen { serial: Some(0), ..mailed("b") }).await, conflict("serial"))?;
    // If both fields conflict, the error names the first one.
    equal(table.insert(Specimen { serial: Some(0), ..mailed("a") }).await, conflict("email"))?;
    equal(table.insert(Specimen { serial: Some(7), ..mailed("a") }).await, conflict("email"))?;
    // The failed inserts have not reserved their values.
    let second = table.insert(Specimen { serial: Some(7), ..mailed("b") }).await?;
    let taken =
        |email: &str, serial| Specimen { email: Some(email.to_owned()), serial: Some(serial), ..second.entity.clone() };
    equal(table.update(taken("a", 7), None).await, conflict("email"))?;
    equal(table.update(taken("c", 0), None).await, conflict("serial"))?;
    equal(table.get(second.entity.id).await?, second.clone())?;
    table.insert(mailed("c")).await?;
    table.holds(&["a", "b", "c"]).await
}

async fn an_update_or_a_delete_frees_a_unique_value(store: &dyn Store) -> CaseResult {
    let table = TestTable::new(store, integers());
    let first = table.insert(mailed("a")).await?.entity;
    // An entity does not conflict with its own value.
    table.update(Specimen { label: "changed".to_owned(), ..first.clone() }, None).await?;
    equal(table.insert(mailed("a")).await, conflict("email"))?;
    for email in [Some("b".to_owned()), None] {
        table.update(Specimen { email, ..first.clone() }, None).await?;
        let second = table.insert(mailed("a")).await?.entity;
        table.delete(second.id, None).await?;
    }
    table.insert_all(["a", "b"].map(mailed)).await?;
    table.holds(&["a", "a", "b"]).await
}

async fn a_value_is_unique_within_its_scope(store: &dyn Store) -> CaseResult {
    let (first, second, everywhere) = (of(store, 1), of(store, 2), TestTable::new(store, members()));
    first.insert(mailed("a")).await?;
    let other = second.insert(mailed("a")).await?.entity;
    second.update(Specimen { label: "b".to_owned(), ..other }, None).await?;
    equal(first.insert(mailed("a")).await, conflict("email"))?;
    equal(everywhere.insert(Specimen { tenant: 2, ..mailed("a") }).await, conflict("email"))?;
    everywhere.insert(Specimen { tenant: 3, ..mailed("a") }).await?;
    everywhere.holds(&["a", "a", "b"]).await
}

async fn values_are_unique_together(store: &dyn Store) -> CaseResult {
    let (first, second) = (of(store, 1), of(store, 2));
    let pair = |text: Option<&str>, flag: Option<bool>| Specimen {
        text: text.map(str::to_owned),
        flag,
        ..labelled(text.unwrap_or("-"))
    };
    let taken = first.insert(pair(Some("a"), Some(true))).await?.entity;
    // Null is not equal to any value, and other scopes are separate.
    for (text, flag) in [(Some("a"), Some(false)), (Some("A"), Some(true)), (Some("a"), None), (None, Some(true))] {
        first.insert(pair(text, flag)).await?;
    }
    first.insert_all([pair(Some("a"), None), pair(None, Some(true)), pair(None, None)]).await?;
    second.insert(pair(Some("a"), Some(true))).await?;
    let both = || conflict("text, flag");
    equal(first.insert(pair(Some("a"), Some(true))).await, both())?;
    equal(first.insert(pair(Some("a"), Some(false))).await, both())?;
    let other = first.insert(pair(Some("b"), Some(true))).await?.entity;
    equal(first.update(Specimen { text: Some("a".to_owned()), ..other.clone() }, None).await, both())?;
    // A conflict of one field comes first.
    first.insert(mailed("m")).await?;
    let twice = Specimen { email: Some("m".to_owned()), ..pair(Some("a"), Some(true)) };
    equal(first.insert(twice).await, conflict("email"))?;
    first.update(Specimen { label: "c".to_owned(), ..taken.clone() }, None).await?;
    first.delete(taken.id, None).await?;
    first.update(Specimen { text: Some("a".to_owned()), ..other }, None).await?;
    second.holds(&["a"]).await
}

async fn a_statement_sees_only_its_scope(store: &dyn Store) -> CaseResult {
    let (first, second) = (of(store, 1), of(store, 2));
    let inserted = first.insert(labelled("a")).await?;
    first.insert(labelled("d")).await?;
    second.insert(labelled("b")).await?;
    let id = inserted.entity.id;
    equal(second.find(id).await?, None)?;
    let changed = Specimen { label: "c".to_owned(), ..inserted.entity.clone() };
    for version in [None, Some(inserted.version)] {
        equal(second.update(changed.clone(), version).await, Err(StoreFailure::NotFound))?;
        equal(second.delete(id, version).await, Err(StoreFailure::NotFound))?;
    }
    equal(first.get(id).await?, inserted.clone())?;
    first.holds(&["a", "d"]).await?;
    second.holds(&["b"]).await?;
    of(store, 3).holds(&[]).await?;
    let of_first = || when("tenant", Comparison::Eq(1.into()));
    for (filter, count) in [(of_first(), 0), (of_first().or(Expression::TRUE), 1), (!!of_first(), 0)] {
        equal(second.count(filter.clone()).await?, count)?;
        equal(second.labels(filter, "").await?.len() as u64, count)?;
    }
    // The position belongs to an entity of the other scope.
    let position = second.after("label", &inserted.entity)?;
    let listed = second.list(Expression::TRUE, "label", &Window::seek(Some(&position), 5)).await?;
    equal(listed.items.into_iter().map(|item| item.entity.label).collect(), vec!["b".to_owned()])?;
    TestTable::new(store, members()).holds(&["a", "b", "d"]).await
}

async fn the_scope_is_set_on_insert_and_never_changes(store: &dyn Store) -> CaseResult {
    let (first, second, everywhere) = (of(store, 1), of(store, 2), TestTable::new(store, members()));
    let inserted = first.insert(Specimen { tenant: 2, ..labelled("a") }).await?.entity;
    equal(inserted.tenant, 1)?;
    let moved = Specimen { tenant: 2, label: "b".to_owned(), ..inserted };
    equal(first.update(moved.clone(), None).await?.entity.tenant, 1)?;
    equal(everywhere.update(moved.clone(), None).await, Err(StoreFailure::NotFound))?;
    everywhere.update(Specimen { tenant: 1, label: "c".to_owned(), ..moved.clone() }, None).await?;
    second.holds(&[]).await?;
    first.holds(&["c"]).await?;
    equal(first.get(moved.id).await?.entity.tenant, 1)?;
    everywhere.delete(moved.id, None).await?;
    first.holds(&[]).await
}

async fn a_partial_scope_can_list_but_not_identify(store: &dyn Store) -> CaseResult {
    documents_of(store, 1, "p").insert(coded("a", "1p")).await?;
    documents_of(store, 1, "q").insert(coded("b", "1q")).await?;
    documents_of(store, 2, "p").insert(coded("a", "2p")).await?;
    let part = TestTable::scoped(store, documents(), Scope::new().with("tenant", 1));
    part.holds(&["1p", "1q"]).await?;
    TestTable::scoped(store, documents(), Scope::new().with("project", "p")).holds(&["1p", "2p"]).await?;
    is_failed(&part.find("a").await)?;
    is_failed(&part.delete("a", None).await)
}

async fn an_undeclared_field_is_an_error(store: &dyn Store) -> CaseResult {
    for field in ["project", "label", "unknown"] {
        let table = TestTable::scoped(store, texts(), Scope::new().with(field, "a"));
        is_failed(&table.insert(coded("a", "a")).await)?;
        is_failed(&table.find("a").await)?;
        is_failed(&table.count(Expression::TRUE).await)?;
    }
    let table = TestTable::new(store, texts());
    table.holds(&[]).await?;
    let unknown = || !when("label", Comparison::IsNull(true)).and(when("text", Comparison::IsNull(true)));
    is_failed(&table.labels(unknown(), "").await)?;
    is_failed(&table.count(unknown()).await)?;
    // The order belongs to another definition.
    let order = crate::table::sort(&members(), "email")?;
    let window = Window::seek(None, 1);
    let query = ListQuery::new(Expression::TRUE, &order, &window);
    is_failed(&store.list::<Specimen>(table.statement(), &query).await.map_err(StoreFailure::from))
}
