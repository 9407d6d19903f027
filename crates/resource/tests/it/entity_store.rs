//! `EntityStore` without a request.

use std::cell::Cell;

use restwright::auth::{Access, Identity};
use restwright::list::Expression;
use restwright::prelude::*;
use restwright_resource::{EntityStore, MemoryStore, Repository, RowPolicy, Rows, Scope};
use serde::Serialize;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/notes")]
struct Note {
    #[property(id)]
    id: i64,
    title: String,
}

#[tokio::test]
async fn first_returns_the_lowest_identifiers_that_match() {
    let store = MemoryStore::new();
    Api::builder(Configuration::new("notes", "1.0.0"))
        .resource::<Note>(store.clone(), Access::public())
        .build()
        .unwrap();
    let scope = Scope::new();
    let mut notes = EntityStore::<Note>::new(&store, &scope);
    for (id, title) in [(3, "c"), (1, "a"), (2, "b")] {
        notes.insert(Note { id, title: title.to_owned() }).await.unwrap();
    }
    let titled = |title: &str| Note::FIELDS.title.eq(title);
    for (filter, limit, expected) in [
        (Expression::TRUE, 2, &[1, 2][..]),
        (Expression::TRUE, 10, &[1, 2, 3]),
        (!titled("b"), 10, &[1, 3]),
        (titled("d"), 10, &[]),
        (Expression::TRUE, 0, &[]),
    ] {
        let found = notes.first(filter.clone(), limit).await.unwrap();
        let ids: Vec<_> = found.iter().map(|found| found.entity.id).collect();
        assert_eq!(ids, expected, "{filter:?}, {limit}");
    }
}

/// A counter that only its owner sees.
#[derive(Clone, Debug, Serialize, Resource)]
#[resource(path = "/counters", policy = Owners, reveals(name))]
struct Counter {
    #[property(id)]
    id: i64,
    #[property(unique)]
    name: String,
    owner: String,
}

struct Owners;

impl RowPolicy<Counter> for Owners {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Counter::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

fn counter(owner: &str) -> Counter {
    Counter { id: 0, name: "orders".to_owned(), owner: owner.to_owned() }
}

#[tokio::test]
async fn get_or_insert_returns_one_entity_to_every_caller_who_may_see_it() {
    let (store, scope, attempts) = (MemoryStore::new(), Scope::new(), Cell::new(0));
    let counters = || EntityStore::<Counter>::new(&store, &scope).unrestricted();
    // Another request inserts the counter after the transaction has read the counters.
    let found = store.transaction(async |transaction| {
        attempts.set(attempts.get() + 1);
        let mut within = counters().within(transaction);
        within.count(&()).await?;
        if attempts.get() == 1 {
            counters().insert(counter("ada")).await?;
        }
        within.get_or_insert(counter("ada")).await
    });
    let found = found.await.unwrap();
    assert_eq!((attempts.get(), counters().count(&()).await.unwrap()), (2, 1));
    for (caller, expected) in [("ada", Ok(found.entity.id)), ("bob", Err(409))] {
        let mut counters = EntityStore::<Counter>::new(&store, &scope).for_caller(&Identity::builder(caller).build());
        let found = counters.get_or_insert(counter(caller)).await;
        assert_eq!(found.map(|found| found.entity.id).map_err(|problem| problem.status().as_u16()), expected);
    }
}
