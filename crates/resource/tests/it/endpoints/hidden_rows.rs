//! Hidden entities in operations that find them by a given identifier, and in handlers that refer to them.

use restwright::auth::{Access, Identity};
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, EntityStore, MemoryStore, Repository, RowPolicy, Rows, Scope};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::callers::Callers;
use super::counting_store::CountingStore;
use super::failing_store::FailingStore;

/// A page, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/pages", policy = Own, reveals(slug), put)]
struct Page {
    #[property(id(given))]
    slug: String,
    owner: String,
}

/// A link to a page, without a policy.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/links", reveals(page))]
struct Link {
    #[property(id)]
    id: Uuid,
    #[property(references(Page))]
    page: Option<String>,
}

struct Own;

impl RowPolicy<Page> for Own {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Page::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

#[test]
fn a_put_on_a_hidden_identifier_is_a_conflict_in_its_first_attempt() {
    let store = CountingStore::default();
    let pages = Endpoints::<Page>::new(store.clone(), Access::authenticated("caller"));
    let configuration = Configuration::new("pages", "1.0.0").authenticator("caller", Callers);
    let client = TestClient::new(Api::builder(configuration).module(&pages).build().unwrap());
    let put = |caller: &str, owner: &str| {
        let body = json!({"slug": "home", "owner": owner});
        let response = client.put("/pages/home").header("X-Caller", caller).json(&body).send();
        response.assert_documented();
        (response.status().as_u16(), store.take_calls().join(", "))
    };
    assert_eq!(put("ann", "ann"), (201, "find pages, insert pages".to_owned()));
    assert_eq!(put("ann", "ann"), (200, "find pages, update pages".to_owned()));
    assert_eq!(put("bob", "bob"), (409, "find pages, insert pages".to_owned()));
    let found = client.get("/pages/home").header("X-Caller", "ann").send().json::<Value>();
    assert_eq!(found["data"]["owner"], "ann");
}

#[tokio::test]
async fn a_handler_that_stores_references_to_entities_with_a_policy_sets_a_caller() {
    let store = MemoryStore::new();
    let pages = Endpoints::<Page>::new(store.clone(), Access::public());
    let links = Endpoints::<Link>::new(store.clone(), Access::public());
    Api::builder(Configuration::new("pages", "1.0.0")).module(&pages).module(&links).build().unwrap();
    let scope = Scope::new();
    let page = Page { slug: "home".to_owned(), owner: "ann".to_owned() };
    EntityStore::<Page>::new(&store, &scope).unrestricted().insert(page).await.unwrap();
    let (ann, bob) = (Identity::builder("ann").build(), Identity::builder("bob").build());

    let links = || EntityStore::<Link>::new(&store, &scope);
    let link = || Link { id: Uuid::nil(), page: Some("home".to_owned()) };
    let unstated =
        |problem: Problem| format!("{problem:?}").contains("`links`, which refers to entities with a policy");
    assert!(links().insert(link()).await.is_err_and(unstated));
    let status = |problem: Problem| problem.status().as_u16();
    assert_eq!(links().for_caller(&bob).insert(link()).await.map_err(status).err(), Some(422));
    let stored = links().unrestricted().insert(link()).await.unwrap();
    assert!(links().update(stored.clone(), None).await.is_err_and(unstated));
    // An unchanged reference stays.
    links().for_caller(&bob).update(stored.clone(), None).await.unwrap();
    let without = links().for_caller(&bob).update(Link { page: None, ..stored.clone() }, None).await.unwrap();
    assert_eq!(links().for_caller(&bob).update(stored.clone(), None).await.map_err(status).err(), Some(422));
    links().for_caller(&ann).update(stored, None).await.unwrap();
    // Reading and deleting store no reference.
    assert_eq!(links().count(&()).await.unwrap(), 1);
    links().delete(&without.id, None).await.unwrap();
}

/// A chapter with an identifier that is unique in its tenant, which its owner sees.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/chapters", policy = OwnChapters, reveals(slug))]
struct Chapter {
    #[property(id(given))]
    slug: String,
    #[property(scope)]
    tenant: String,
    owner: String,
}

/// A quote from a chapter.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/quotes", reveals(chapter))]
struct Quote {
    #[property(id)]
    id: Uuid,
    #[property(scope)]
    tenant: String,
    #[property(references(Chapter))]
    chapter: String,
}

struct OwnChapters;

impl RowPolicy<Chapter> for OwnChapters {
    fn visible(&self, caller: &Identity) -> Rows {
        Rows::matching(Chapter::FIELDS.owner.eq(caller.subject().unwrap_or_default()))
    }
}

/// References are looked for in the scope and in the transaction of the statement.
#[tokio::test]
async fn a_reference_is_checked_in_its_scope_and_its_transaction() {
    let store = MemoryStore::new();
    let chapters = Endpoints::<Chapter>::new(store.clone(), Access::public()).scope("tenant", |_| Some("a".into()));
    let quotes = Endpoints::<Quote>::new(store.clone(), Access::public()).scope("tenant", |_| Some("a".into()));
    Api::builder(Configuration::new("chapters", "1.0.0")).module(&chapters).module(&quotes).build().unwrap();
    let ann = Identity::builder("ann").build();
    let chapter = || Chapter { slug: "one".to_owned(), tenant: String::new(), owner: "ann".to_owned() };
    let quote = || Quote { id: Uuid::nil(), tenant: String::new(), chapter: "one".to_owned() };
    let [a, b] = ["a", "b"].map(|tenant| Scope::new().with("tenant", tenant.to_owned()));
    let stored = store.transaction(async |transaction| {
        let mut chapters = EntityStore::<Chapter>::new(&store, &a).for_caller(&ann).within(transaction);
        chapters.insert(chapter()).await?;
        EntityStore::<Quote>::new(&store, &a).for_caller(&ann).within(transaction).insert(quote()).await
    });
    assert_eq!(stored.await.unwrap().chapter, "one");
    let in_b = EntityStore::<Quote>::new(&store, &b).for_caller(&ann).insert(quote()).await;
    assert_eq!(in_b.map_err(|problem| problem.status().as_u16()).err(), Some(422));
}

#[test]
fn a_store_without_definitions_cannot_check_references_to_entities_with_a_policy() {
    let store = FailingStore::default();
    let pages = Endpoints::<Page>::new(store.clone(), Access::public());
    let links = Endpoints::<Link>::new(store, Access::public());
    let built = Api::builder(Configuration::new("pages", "1.0.0")).module(&pages).module(&links).build();
    let errors = built.unwrap_err().to_string();
    assert!(errors.contains("the store must return the definition of `pages`"), "{errors}");
}

/// A page of the same table, without its policy.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/open-pages", table = "pages")]
struct OpenPage {
    #[property(id(given))]
    slug: String,
    owner: String,
}

#[test]
fn rejects_a_resource_that_shows_what_another_resource_of_its_table_hides() {
    for stores in [
        [MemoryStore::new(), MemoryStore::new()],
        [(); 2].map({
            let store = MemoryStore::new();
            move |()| store.clone()
        }),
    ] {
        let [one, other] = stores;
        let pages = Endpoints::<Page>::new(one, Access::public());
        let open = Endpoints::<OpenPage>::new(other, Access::public()).list_name("OpenPages");
        let built = Api::builder(Configuration::new("pages", "1.0.0")).module(&pages).module(&open).build();
        let errors = built.unwrap_err().to_string();
        assert!(errors.contains("two resources of `pages` have different policies"), "{errors}");
    }
}
