//! Hooks, and entities outside of endpoints.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::{int64, string};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityBag, EntityStore, HookContext, Hooks, IdentifierKind, MemoryStore, ResourceDefinition, Scope,
};
use serde_json::json;

fn notes() -> ResourceDefinition {
    let note = PropertyCollection::new("Note").property(int64("id")).property(string("text").max_length(20));
    ResourceDefinition::new("/notes", "notes", note, "id", IdentifierKind::Integer)
}

/// Writes a note for each animal, and rejects a third animal.
struct Noted;

impl Hooks<EntityBag> for Noted {
    async fn before_create(&self, context: &mut HookContext<'_>, _: &mut EntityBag) -> Result<()> {
        if context.store_of(&super::definition()).count(&()).await? < 2 {
            return Ok(());
        }
        Err(Problem::new(restwright::problem::catalogue::CONFLICT).detail("The shelter is full."))
    }

    async fn after_create(&self, context: &mut HookContext<'_>, entity: &EntityBag) -> Result<()> {
        let note = notes().entity(&json!({"text": entity.get("name")}))?;
        let inserted = context.store_of(&notes()).insert(note).await?;
        assert!(inserted.get("id").is_some());
        Ok(())
    }
}

fn client(store: &MemoryStore) -> TestClient {
    let animals = Endpoints::from_definition(super::definition(), store.clone(), Access::public()).hooks(Noted);
    let notes = Endpoints::from_definition(notes(), store.clone(), Access::public());
    TestClient::new(Api::builder(Configuration::new("a", "1")).module(&animals).module(&notes).build().unwrap())
}

#[test]
fn hooks_access_entities_of_definitions() {
    let store = MemoryStore::new();
    let client = client(&store);
    for (name, status) in [("Ada", 201), ("Bo", 201), ("Cy", 409)] {
        client.post("/animals").json(&json!({"name": name, "species": "dog"})).send().assert_status(status);
    }
    let shown = client.get("/notes").send();
    shown.assert_status(200).assert_documented();
    let shown: serde_json::Value = shown.json();
    assert_eq!(shown["data"], json!([{"id": 1, "text": "Ada"}, {"id": 2, "text": "Bo"}]));
}

#[tokio::test]
async fn entities_are_found_changed_and_deleted_outside_of_endpoints() {
    let store = MemoryStore::new();
    let (animals, notes) = (super::definition(), notes());
    let mut animals_kept = EntityStore::from_definition(&store, &animals, &Scope::new());
    let ada = animals.entity(&json!({"name": "Ada", "species": "dog", "visits": 1, "secret": "x"})).unwrap();
    let ada = animals_kept.insert(ada).await.unwrap();
    let id = ada.get("id").unwrap().as_str().unwrap().to_owned();
    assert!(ada.get("created_at").is_some());
    assert_eq!(animals_kept.find(&id.as_str().into()).await.unwrap().unwrap().entity, ada);

    let mut notes_kept = EntityStore::from_definition(&store, &notes, &Scope::new());
    let mut note = notes_kept.insert(notes.entity(&json!({"text": "a"})).unwrap()).await.unwrap();
    // The identifier is not written, so it stays.
    note.write(&json!({"text": "b"})).unwrap();
    assert_eq!(notes_kept.update(note, None).await.unwrap().get("id").unwrap(), 1);
    assert_eq!(notes_kept.find(&1.into()).await.unwrap().unwrap().entity.get("text").unwrap(), "b");
    notes_kept.delete(&1.into(), None).await.unwrap();
    assert_eq!(notes_kept.count(&()).await.unwrap(), 0);

    // Endpoints return an entity that was inserted outside of them.
    let shown = client(&store).get(format!("/animals/{id}")).await;
    let shown: serde_json::Value = shown.assert_status(200).assert_documented().json();
    assert_eq!((&shown["data"]["name"], shown["data"].get("secret")), (&json!("Ada"), None));
}

#[tokio::test]
async fn stored_properties_of_an_older_version_stay_readable() {
    let store = MemoryStore::new();
    let animals = super::definition();
    let mut animals_kept = EntityStore::from_definition(&store, &animals, &Scope::new());
    let old = json!({"name": "Ada", "species": "dog", "visits": 1, "address": {"city": "Oslo", "country": "NO"}});
    let stored = animals_kept.insert(animals.entity(&old).unwrap()).await.unwrap();
    let client = client(&store);
    let path = format!("/animals/{}", stored.get("id").unwrap().as_str().unwrap());
    let shown: serde_json::Value = client.get(&path).await.assert_status(200).json();
    assert_eq!(shown["data"]["address"], json!({"city": "Oslo"}));
    client.get("/animals").await.assert_status(200);
    for (changes, expected) in [
        (json!({"visits": 2}), json!({"city": "Oslo"})),
        (json!({"address": {"zip": "1"}}), json!({"city": "Oslo", "zip": "1"})),
        (shown["data"].clone(), json!({"city": "Oslo", "zip": "1"})),
    ] {
        let changed: serde_json::Value = client.patch(&path).json(&changes).await.assert_status(200).json();
        assert_eq!(changed["data"]["address"], expected);
    }
    client.patch(&path).json(&json!({"address": {"country": "SE"}})).await.assert_status(422);
}

#[tokio::test]
async fn the_error_of_a_bag_without_its_definition_names_the_fix() {
    let store = MemoryStore::new();
    let refused = EntityStore::<EntityBag>::new(&store, &Scope::new()).count(&()).await.unwrap_err();
    assert!(format!("{refused:?}").contains("use `EntityStore::from_definition`"), "{refused:?}");
    let endpoints = Endpoints::<EntityBag>::new(store, Access::public());
    let refused = Api::builder(Configuration::new("a", "1")).module(&endpoints).build().unwrap_err();
    assert!(refused.to_string().contains("with `Endpoints::from_definition`"), "{refused}");
}
