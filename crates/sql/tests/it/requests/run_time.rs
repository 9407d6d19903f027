//! Resources that are declared at run time, in a database.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::{SchemaObject, array, float32, int64, string};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityBag, HookContext, Hooks, IdentifierKind, ResourceDefinition, ResourcePagination, Store,
};
use serde_json::{Value, json};

use super::outbox::on_postgres;
use crate::databases::SqliteFile;
use crate::log::Log;

fn dogs() -> ResourceDefinition {
    let dog = PropertyCollection::new("Dog")
        .property(int64("id").read_only())
        .property(string("name").max_length(8))
        .property(float32("weight").optional())
        .property(string("note").optional())
        .property(array("tags", SchemaObject::string()).optional());
    ResourceDefinition::new("/dogs", "dogs", dog, "id", IdentifierKind::Integer)
        .sort("name")
        .pagination(ResourcePagination::Cursor)
}

/// Writes the note of the same dog, as `HookContext::store_of` reads it.
struct Noted;

impl Hooks<EntityBag> for Noted {
    async fn before_update(
        &self,
        context: &mut HookContext<'_>,
        before: &EntityBag,
        dog: &mut EntityBag,
    ) -> Result<()> {
        let id = before.get("id").cloned().unwrap_or_default();
        let kept = context.store_of(&dogs()).find(&id.into()).await?;
        let is_kept = kept.is_some_and(|kept| kept.entity == *before);
        dog.set("note", format!("{:?} {is_kept}", before.value("name").as_text()));
        Ok(())
    }
}

/// Checks that a dog from the database has the shape of its resource. The shape changes, checks, sorts and returns it.
fn check<S: Store + Clone>(store: &S) {
    let endpoints = Endpoints::from_definition(dogs(), store.clone(), Access::public()).put().hooks(Noted);
    let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&endpoints).build().unwrap();
    let client = TestClient::new(api);
    client.start().unwrap();
    for (name, weight) in [("Rex", 0.1), ("Ada", 7.5)] {
        client.post("/dogs").json(&json!({"name": name, "weight": weight})).send().assert_status(201);
    }
    // Columns contain null for absent values, and double precision for numbers in single precision.
    let rex = json!({"id": 1, "name": "Rex", "weight": 0.1});
    client.get("/dogs/1").send().assert_json(&json!({"data": rex}));
    let first = client.get("/dogs?order_by=name&limit=1").send().json::<Value>();
    assert_eq!(first["data"], json!([{"id": 2, "name": "Ada", "weight": 7.5}]));
    let next = first["pagination"]["next_cursor"].as_str().unwrap();
    let next = client.get(format!("/dogs?order_by=name&limit=1&cursor={next}")).send().json::<Value>();
    assert_eq!(next["data"], json!([rex]));
    client.patch("/dogs/1").json(&json!({"name": "far too long"})).send().assert_status(422);
    let changed = json!({"id": 1, "name": "Rex", "note": "Some(\"Rex\") true", "tags": ["calm"]});
    let patch = client.patch("/dogs/1").json(&json!({"weight": null, "tags": ["calm"]})).send();
    patch.assert_status(200).assert_json(&json!({"data": changed}));
    let replaced = json!({"id": 1, "name": "Max", "note": "Some(\"Rex\") true"});
    let put = client.put("/dogs/1").json(&json!({"name": "Max"})).send();
    put.assert_status(200).assert_json(&json!({"data": replaced}));
    client.stop();
}

#[test]
fn an_entity_of_sqlite_has_the_shape_of_its_resource() {
    let file = SqliteFile::new();
    check(&file.store().migrate());
}

#[test]
fn an_entity_of_postgresql_has_the_shape_of_its_resource() {
    on_postgres(|schema| check(&schema.store().migrate()));
}

#[test]
fn a_null_of_another_program_in_a_required_property_is_an_error() {
    on_postgres(|schema| {
        let endpoints = Endpoints::from_definition(dogs(), schema.store().migrate(), Access::public());
        let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&endpoints).build().unwrap();
        let client = TestClient::new(api);
        client.start().unwrap();
        client.post("/dogs").json(&json!({"name": "Rex"})).send().assert_status(201);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(schema.run("ALTER TABLE dogs ALTER name DROP NOT NULL; UPDATE dogs SET name = NULL"));
        let (response, lines) = Log::of(|| client.get("/dogs/1").send());
        response.assert_status(500);
        let place = "the row `1` of `dogs` has an invalid value in the column `name`: it must not be null";
        assert!(lines.iter().any(|line| line.contains(place)), "{lines:?}");
        client.stop();
    });
}
