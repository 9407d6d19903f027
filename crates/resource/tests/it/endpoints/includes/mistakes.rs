//! Relations that cannot work. Building the Api reports each of them once.

use restwright::auth::{Access, AuthorizationContext, Decision, Policy};
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright_resource::{Endpoints, Hooks, Relation};
use serde::{Deserialize, Serialize};

use super::{Person, builder, caller, comments, people, tickets};
use crate::endpoints::counting_store::CountingStore;

#[test]
fn rejects_wrong_relations_when_the_api_is_built() {
    let store = CountingStore::default();
    let all = |relation: Relation| {
        let api = builder().module(&people(&store, caller())).module(&comments(&store));
        let errors = api.module(&tickets(&store).include(relation)).build().unwrap_err().to_string();
        assert_eq!(errors.matches("the relation `").count(), 1, "{errors}");
        errors
    };
    for (relation, expected) in [
        (
            Relation::one("owner"),
            "the relation `owner` of `issues` needs a field `owner_id` that refers to another entity",
        ),
        (Relation::one("titled").field("title"), "needs a field `title` that refers to another entity"),
        (Relation::one("assignee"), "the relation `assignee` of `issues` is declared twice"),
        (Relation::one("title").field("assignee_id"), "has the name of a property of the response"),
        (Relation::one("a.b").field("assignee_id"), "has an invalid name"),
        (
            Relation::many("notes", 5),
            "embeds entities of `notes`, but no resource of the Api serves views and lists of them",
        ),
        (Relation::many("people", 5), "needs a field of `people` that refers to `issues`, but there is none"),
        (Relation::many("few", 0).of("comments"), "must embed at least 1 and at most 100 entities"),
        (Relation::many("lots", 101).of("comments"), "must embed at least 1 and at most 100 entities"),
        (
            Relation::many("more", 100).of("comments").include(Relation::many("reactions", 11)),
            "can embed 1100 entities at its second level for one entity; lower the `max` of the two levels, so that it is at most 1000",
        ),
        (
            Relation::many("more", 5).of("comments").field("author_id"),
            "names the field `author_id` of `comments`, which does not refer to `issues`",
        ),
        (Relation::many("more", 5).of("comments").order("text"), "has the order `text`, which must contain"),
        (
            Relation::many("more", 5)
                .of("comments")
                .include(Relation::one("author").include(Relation::one("team").field("id"))),
            "the relation `author` of `comments` contains relations, but is itself contained in a relation",
        ),
    ] {
        let errors = all(relation);
        assert!(errors.contains(expected), "{errors}");
    }
    let alone = builder().module(&tickets(&store)).module(&comments(&store)).build().unwrap_err().to_string();
    assert!(alone.contains("embeds entities of `people`, but no resource of the Api serves views of them"), "{alone}");
}

#[test]
fn rejects_relations_to_entities_that_an_include_cannot_protect() {
    let store = CountingStore::default();
    let of_policy = || Access::authenticated("caller").policy(Anyone);
    for (people, tickets, expected) in [
        (people(&store, of_policy()), tickets(&store), "whose access has a policy, and an include cannot check it"),
        (people(&store, caller()).hooks(OnlyViews), tickets(&store), "run before views but not before lists"),
        (people(&store, caller()).without(Mode::View), tickets(&store), "no resource of the Api serves views of them"),
    ] {
        let api = builder().module(&people).module(&comments(&store)).module(&tickets);
        let errors = api.build().unwrap_err().to_string();
        assert!(errors.contains(expected), "{errors}");
    }
    let open = Endpoints::<Place>::new(store.clone(), Access::public());
    let errors = builder().module(&people(&store, caller())).module(&open).build().unwrap_err().to_string();
    assert!(errors.contains("so every include would be a 403"), "{errors}");
}

/// A place, which everybody sees, of a person.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/places", reveals(owner_id), include(owner))]
struct Place {
    #[property(id)]
    id: i64,
    #[property(references(Person))]
    owner_id: Option<i64>,
}

struct Anyone;

impl Policy for Anyone {
    async fn decide(&self, _: &AuthorizationContext<'_>) -> Result<Decision> {
        Ok(Decision::Allow)
    }
}

struct OnlyViews;

impl Hooks<Person> for OnlyViews {
    const MODES: &'static [Mode] = &[Mode::View];
}
