//! Identifiers of each kind.

use restwright_list::Expression;
use uuid::{Uuid, Variant};

use super::specimen::{integers, texts, uuids, values};
use super::table::{Failure, Table, labelled};
use super::{Outcome, Specimen, cases, ensure, equal};
use crate::store::Repository;

cases!(
    "identifiers";
    a_uuid_is_of_version_7,
    a_uuid_is_made_whatever_is_given,
    uuids_are_ordered_by_time,
    an_integer_is_made_and_positive,
    an_integer_is_made_whatever_is_given,
    integers_differ,
    an_integer_is_not_used_again,
    a_made_kind_of_identifier_is_kept_on_demand,
    a_kept_identifier_is_taken_once,
    a_kept_integer_is_not_made_later,
    a_kept_integer_below_the_last_one_changes_nothing,
    an_identifier_that_is_not_set_is_made,
    a_given_integer_is_kept,
    a_given_text_is_kept,
    given_texts_regard_case,
    a_given_identifier_is_taken_once,
    a_deleted_identifier_may_be_given_again,
    an_unknown_identifier_finds_nothing,
    an_identifier_of_another_kind_of_entities_finds_nothing,
    an_update_keeps_the_identifier,
);

async fn a_uuid_is_of_version_7<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, uuids());
    let inserted = table.insert(labelled("a")).await?;
    let id = inserted.entity.uuid_id;
    equal((id.get_version_num(), id.get_variant()), (7, Variant::RFC4122))?;
    equal(table.get(id).await?, inserted)
}

async fn a_uuid_is_made_whatever_is_given<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, uuids());
    let given = Uuid::from_u128(7);
    table.insert(Specimen { uuid_id: given, ..labelled("a") }).await?;
    equal(table.find(given).await?, None)
}

async fn uuids_are_ordered_by_time<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, uuids());
    table.insert_all(["a", "b", "c", "d", "e"].map(labelled)).await?;
    equal(table.labels(Expression::TRUE, "").await?.concat(), "abcde".to_owned())
}

async fn an_integer_is_made_and_positive<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let inserted = table.insert(labelled("a")).await?;
    ensure(inserted.entity.id > 0, "the identifier is not positive")?;
    equal(table.get(inserted.entity.id).await?, inserted)
}

async fn an_integer_is_made_whatever_is_given<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let first = table.insert(labelled("a")).await?.entity;
    let second = table.insert(Specimen { label: "b".to_owned(), ..first.clone() }).await?.entity;
    ensure(first.id != second.id, "the identifier was made twice")?;
    table.holds(&["a", "b"]).await
}

async fn a_made_kind_of_identifier_is_kept_on_demand<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (uuids, integers) = (Table::new(store, uuids()), Table::new(store, integers()));
    let uuid = Uuid::from_u128(7);
    let inserted = uuids.insert_kept(Specimen { uuid_id: uuid, ..labelled("a") }).await?;
    equal(inserted.entity.uuid_id, uuid)?;
    equal(uuids.get(uuid).await?, inserted)?;
    for id in [42, -7, 1] {
        let inserted = integers.insert_kept(Specimen { id, ..labelled("a") }).await?;
        equal(inserted.entity.id, id)?;
        equal(integers.get(id).await?, inserted)?;
    }
    Ok(())
}

async fn a_kept_identifier_is_taken_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (uuids, integers) = (Table::new(store, uuids()), Table::new(store, integers()));
    let first = integers.insert(labelled("a")).await?.entity;
    let second = Specimen { label: "b".to_owned(), ..first };
    equal(integers.insert_kept(second).await, Err(Failure::Conflict("id".to_owned())))?;
    integers.holds(&["a"]).await?;
    let first = uuids.insert(labelled("a")).await?.entity;
    let second = Specimen { label: "b".to_owned(), ..first };
    equal(uuids.insert_kept(second).await, Err(Failure::Conflict("uuid_id".to_owned())))?;
    uuids.holds(&["a"]).await
}

async fn a_kept_integer_is_not_made_later<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let mut last = 0;
    for step in [1, 2, 1, 1_000] {
        let kept = table.insert_kept(Specimen { id: last + step, ..labelled("kept") }).await?.entity.id;
        for _ in 0..3 {
            last = table.insert(labelled("made")).await?.entity.id;
            ensure(last != kept, "the identifier that another entity keeps was made")?;
        }
    }
    Ok(())
}

async fn a_kept_integer_below_the_last_one_changes_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let first = table.insert_kept(Specimen { id: 10, ..labelled("a") }).await?.entity.id;
    table.insert_kept(Specimen { id: 5, ..labelled("b") }).await?;
    let made = table.insert(labelled("c")).await?.entity.id;
    ensure(made != first, "the identifier that another entity keeps was made")?;
    table.delete(made, None).await?;
    let next = table.insert(labelled("d")).await?.entity.id;
    ensure(next != made, "the identifier of a deleted entity was made again")
}

async fn an_identifier_that_is_not_set_is_made<S: Repository<Specimen>>(store: &S) -> Outcome {
    let (uuids, integers) = (Table::new(store, uuids()), Table::new(store, integers()));
    let made = uuids.insert_kept(labelled("a")).await?.entity.uuid_id;
    equal(made.get_version_num(), 7)?;
    let made = integers.insert_kept(labelled("a")).await?.entity.id;
    ensure(made > 0, "the identifier is not positive")
}

async fn integers_differ<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let mut made = Vec::new();
    for _ in 0..20 {
        made.push(table.insert(labelled("a")).await?.entity.id);
    }
    made.sort_unstable();
    made.dedup();
    equal(made.len(), 20)
}

async fn an_integer_is_not_used_again<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, integers());
    let first = table.insert(labelled("a")).await?.entity.id;
    table.delete(first, None).await?;
    let second = table.insert(labelled("b")).await?.entity.id;
    ensure(first != second, "the identifier of a deleted entity was made again")
}

async fn a_given_integer_is_kept<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, values());
    for id in [0, -1, i64::MIN, i64::MAX] {
        let inserted = table.insert(Specimen { id, ..labelled("a") }).await?;
        equal(inserted.entity.id, id)?;
        equal(table.get(id).await?, inserted)?;
    }
    Ok(())
}

async fn a_given_text_is_kept<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let inserted = table.insert(code("a/b c")).await?;
    equal(inserted.entity.code.as_str(), "a/b c")?;
    equal(table.get("a/b c").await?, inserted)
}

async fn given_texts_regard_case<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert_all([code("a"), code("A"), code("a ")]).await?;
    equal(table.get("A").await?.entity, code("A"))?;
    table.holds(&["A", "a", "a "]).await
}

async fn a_given_identifier_is_taken_once<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    let first = table.insert(code("a")).await?;
    let second = Specimen { label: "second".to_owned(), ..code("a") };
    equal(table.insert(second).await, Err(Failure::Conflict("code".to_owned())))?;
    equal(table.get("a").await?, first)
}

async fn a_deleted_identifier_may_be_given_again<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, texts());
    table.insert(code("a")).await?;
    table.delete("a", None).await?;
    let second = table.insert(Specimen { label: "second".to_owned(), ..code("a") }).await?;
    equal(table.get("a").await?, second)
}

async fn an_unknown_identifier_finds_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    equal(Table::new(store, uuids()).find(Uuid::from_u128(1)).await?, None)?;
    equal(Table::new(store, integers()).find(1).await?, None)?;
    equal(Table::new(store, texts()).find("a").await?, None)
}

async fn an_identifier_of_another_kind_of_entities_finds_nothing<S: Repository<Specimen>>(store: &S) -> Outcome {
    let inserted = Table::new(store, integers()).insert(labelled("a")).await?;
    let other = Table::new(store, values());
    equal(other.find(inserted.entity.id).await?, None)?;
    equal(other.delete(inserted.entity.id, None).await, Err(Failure::NotFound))?;
    other.holds(&[]).await
}

async fn an_update_keeps_the_identifier<S: Repository<Specimen>>(store: &S) -> Outcome {
    let table = Table::new(store, uuids());
    let first = table.insert(labelled("a")).await?.entity;
    let updated = table.update(Specimen { label: "b".to_owned(), ..first.clone() }, None).await?;
    equal(updated.entity.uuid_id, first.uuid_id)?;
    table.holds(&["b"]).await
}

fn code(code: &str) -> Specimen {
    Specimen { code: code.to_owned(), ..labelled(code) }
}
