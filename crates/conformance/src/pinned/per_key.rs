//! Test cases for lists that return the first entities for each key.

use std::collections::BTreeMap;

use restwright_list::{Comparison, Direction, Expression, SortBag, SortFields, Value, Window};
use restwright_resource::{ListQuery, Repository, Scope, Store};

use crate::specimen::{pets, visits};
use crate::table::{StoreFailure, TestTable, labelled};
use crate::{CaseResult, Specimen, cases, ensure, equal};

cases!(
    "lists per key";
    each_key_has_its_first_entities,
    keys_of_several_fields_stay_in_the_scope,
    keys_that_do_not_fit_are_errors_or_find_nothing,
);

type EntityKeys = Vec<Vec<Value<'static>>>;

/// Lists entities per key and returns their labels as one string. The labels are grouped by parent and sorted.
async fn found(
    table: &TestTable<'_>,
    filter: Expression,
    (order, limit): (&str, u32),
    (fields, keys): (&[&str], EntityKeys),
) -> Result<String, StoreFailure> {
    let fields_of_order = SortFields::by_identifier("uuid_id").field("label");
    let requested = order.split(',').filter(|name| !name.is_empty()).map(|name| match name.strip_prefix('-') {
        Some(name) => (name, Direction::Descending),
        None => (name, Direction::Ascending),
    });
    let order = SortBag::among(&fields_of_order, requested).ok_or(StoreFailure::Failed("no such order".to_owned()))?;
    let window = Window::skip(0, limit);
    let query = ListQuery::new(filter, &order, &window);
    let listed = table.store.list_per_key::<Specimen>(table.statement(), &query, fields, &keys).await?;
    let mut labels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in listed {
        labels.entry(format!("{:?}", one.entity.parent)).or_default().push(one.entity.label);
    }
    let labels = labels.into_values().map(|mut labels| {
        labels.sort_unstable();
        labels.join(" ")
    });
    let mut labels: Vec<_> = labels.collect();
    labels.sort_unstable();
    Ok(labels.join(" | "))
}

/// Inserts three pets for two tenants, and visits that refer to the pets. Returns the identifiers of the pets.
async fn filled(store: &dyn Store) -> Result<[i64; 3], StoreFailure> {
    let mut ids = [0; 3];
    for (index, id) in ids.iter_mut().enumerate() {
        let tenant = Scope::new().with("tenant", if index < 2 { 1 } else { 2 });
        *id = TestTable::scoped(store, pets(), tenant.clone()).insert(labelled("pet")).await?.entity.id;
        let visits = TestTable::scoped(store, visits(), tenant);
        for number in 0..4 {
            let label = format!("{index}{number}");
            visits.insert(Specimen { parent: Some(*id), ..labelled(&label) }).await?;
        }
    }
    TestTable::scoped(store, visits(), Scope::new().with("tenant", 1)).insert(labelled("none")).await?;
    Ok(ids)
}

async fn each_key_has_its_first_entities(store: &dyn Store) -> CaseResult {
    let [first, second, other] = filled(store).await?;
    let visits = TestTable::scoped(store, visits(), Scope::new().with("tenant", 1));
    let keys =
        |ids: &[i64]| -> (&[&str], EntityKeys) { (&["parent"], ids.iter().map(|id| vec![(*id).into()]).collect()) };
    let all = Expression::TRUE;
    let label = |comparison| Expression::condition("label", comparison);
    // The result contains one entity more than the limit.
    equal(found(&visits, all.clone(), ("label", 1), keys(&[first, second])).await?, "00 01 | 10 11".to_owned())?;
    equal(found(&visits, all.clone(), ("-label", 1), keys(&[first, second])).await?, "02 03 | 12 13".to_owned())?;
    equal(found(&visits, all.clone(), ("", 9), keys(&[first])).await?, "00 01 02 03".to_owned())?;
    let later = label(Comparison::Gt("01".into())).and(label(Comparison::Ne("12".into())));
    equal(found(&visits, later, ("label", 0), keys(&[first, second])).await?, "02 | 10".to_owned())?;
    equal(found(&visits, all.clone(), ("label", 1), keys(&[other, 999_999, second])).await?, "10 11".to_owned())?;
    equal(found(&visits, all, ("label", 1), keys(&[])).await?, String::new())
}

async fn keys_of_several_fields_stay_in_the_scope(store: &dyn Store) -> CaseResult {
    let [first, _, other] = filled(store).await?;
    let everything = TestTable::new(store, visits());
    let fields: &[&str] = &["parent", "tenant"];
    let keys = |pairs: &[(i64, i64)]| -> EntityKeys {
        pairs.iter().map(|(parent, tenant)| vec![(*parent).into(), (*tenant).into()]).collect()
    };
    let order = ("label", 1);
    let both = keys(&[(first, 1), (other, 2)]);
    equal(found(&everything, Expression::TRUE, order, (fields, both)).await?, "00 01 | 20 21".to_owned())?;
    let crossed = keys(&[(first, 2), (other, 1)]);
    equal(found(&everything, Expression::TRUE, order, (fields, crossed)).await?, String::new())?;
    let scoped = TestTable::scoped(store, visits(), Scope::new().with("tenant", 2));
    let both = keys(&[(first, 1), (other, 2)]);
    equal(found(&scoped, Expression::TRUE, order, (fields, both)).await?, "20 21".to_owned())
}

async fn keys_that_do_not_fit_are_errors_or_find_nothing(store: &dyn Store) -> CaseResult {
    let [first, ..] = filled(store).await?;
    let visits = TestTable::scoped(store, visits(), Scope::new().with("tenant", 1));
    let wrong = vec![vec!["text".into()], vec![Value::Integer(i128::MAX)], vec![first.into()]];
    equal(found(&visits, Expression::TRUE, ("label", 0), (&["parent"], wrong)).await?, "00".to_owned())?;
    let unknown = found(&visits, Expression::TRUE, ("label", 0), (&["nothing"], vec![vec![first.into()]])).await;
    ensure(matches!(unknown, Err(StoreFailure::Failed(_))), "a key of an unknown field must be an error")
}
