//! `EntityStore` without a request.

use restwright::auth::Access;
use restwright::list::Expression;
use restwright::prelude::*;
use restwright_resource::{EntityStore, MemoryStore, Scope};
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
    let mut notes = EntityStore::<Note, _>::new(&store, &scope);
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
