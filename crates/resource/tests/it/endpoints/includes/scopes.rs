//! Includes across tenants, below parents, and of resources that are declared at run time.

use restwright::auth::Identity;
use restwright::prelude::*;
use restwright::schema::{Mode, int64, string};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, IdentifierKind, MemoryStore, OnDelete, Relation, ResourceDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Person, builder, caller, people};
use crate::endpoints::counting_store::CountingStore;

/// A team, whose name is unique in its tenant only.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/teams", include(jobs(max = 5)))]
struct Team {
    #[property(id(given))]
    id: String,
    #[property(scope)]
    tenant: String,
}

/// A job of a team.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/jobs", include(team))]
struct Job {
    #[property(id)]
    id: i64,
    #[property(scope)]
    tenant: String,
    #[property(references(Team))]
    team_id: String,
}

/// A step of a person, which exists for callers who see the person.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/people/{person_id}/steps")]
struct Step {
    #[property(id)]
    id: i64,
    #[property(parent(Person))]
    person_id: i64,
}

/// A remark on a step.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/remarks", include(step))]
struct Remark {
    #[property(id)]
    id: i64,
    #[property(references(Step))]
    step_id: i64,
}

fn get(client: &TestClient, caller: &str, path: &str) -> Value {
    client.get(path).header("X-Caller", caller).send().assert_status(200).json::<Value>()["data"].clone()
}

/// An auditor sees the jobs of all tenants, but only the teams of the own one. Both tenants have a team of the same name.
#[test]
fn embeds_only_entities_of_the_same_tenant() {
    let store = CountingStore::default();
    let tenant = |caller: &Identity| Some(if caller.has_permission("south") { "south" } else { "north" }.into());
    let teams = Endpoints::<Team>::new(store.clone(), caller()).scope("tenant", tenant);
    let jobs = Endpoints::<Job>::new(store.clone(), caller()).scope("tenant", tenant);
    let jobs = jobs.lift_scope("tenant", Mode::List, "auditor").lift_scope("tenant", Mode::View, "auditor");
    let client = TestClient::new(builder().module(&teams).module(&jobs).build().unwrap());
    for tenant in ["ann north", "ann south"] {
        client.post("/teams").header("X-Caller", tenant).json(&json!({"id": "red"})).send().assert_status(201);
        client.post("/jobs").header("X-Caller", tenant).json(&json!({"team_id": "red"})).send().assert_status(201);
    }
    let of_tenants = |caller: &str, path: &str| {
        let listed = get(&client, caller, path);
        let teams = listed.as_array().unwrap().iter().map(|job| json!([job["tenant"], job["team"]["tenant"]]));
        teams.collect::<Value>()
    };
    let path = "/jobs?include=team&order_by=id";
    assert_eq!(of_tenants("ann", path), json!([["north", "north"]]));
    assert_eq!(of_tenants("ann auditor", path), json!([["north", "north"], ["south", null]]));
    assert_eq!(of_tenants("ann south auditor", path), json!([["north", null], ["south", "south"]]));
    // The jobs of a team are in its tenant, although an auditor sees all jobs.
    let jobs = get(&client, "ann auditor", "/teams/red?include=jobs");
    assert_eq!(jobs["jobs"], json!({"data": [{"id": 1, "tenant": "north", "team_id": "red"}], "has_more": false}));
}

#[test]
fn rejects_entities_whose_parent_an_include_does_not_check() {
    let store = CountingStore::default();
    let steps = Endpoints::<Step>::new(store.clone(), caller());
    let remarks = Endpoints::<Remark>::new(store.clone(), caller());
    let api = builder().module(&people(&store, caller())).module(&steps).module(&remarks);
    let errors = api.build().unwrap_err().to_string();
    let expected = "the relation `step` of `remarks` embeds entities of `steps`, which are only visible to callers who see their parent of `people`";
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn resources_at_run_time_have_relations() {
    let store = MemoryStore::new();
    let shape = |name: &'static str| PropertyCollection::new(name).property(int64("id").read_only());
    let kind = IdentifierKind::Integer;
    let owners = ResourceDefinition::new("/owners", "owners", shape("Owner").property(string("name")), "id", kind);
    let pets = shape("Pet").property(string("name")).property(int64("owner_id"));
    let pets = ResourceDefinition::new("/pets", "pets", pets, "id", kind)
        .field("owner_id", |field| field.references("owners", OnDelete::Restrict));
    let owners = Endpoints::from_definition(owners, store.clone(), caller()).include(Relation::many("pets", 1));
    let pets = Endpoints::from_definition(pets, store, caller()).include(Relation::one("owner"));
    let client = TestClient::new(builder().module(&pets).module(&owners).build().unwrap());
    for (path, body) in [
        ("/owners", json!({"name": "Ada"})),
        ("/pets", json!({"name": "Rex", "owner_id": 1})),
        ("/pets", json!({"name": "Tom", "owner_id": 1})),
    ] {
        client.post(path).header("X-Caller", "ann").json(&body).send().assert_status(201);
    }
    let shown = client.get("/pets/2?include=owner").header("X-Caller", "ann").send();
    shown.assert_documented().assert_json(&json!({
        "data": {"id": 2, "name": "Tom", "owner_id": 1, "owner": {"id": 1, "name": "Ada"}}
    }));
    let pets = get(&client, "ann", "/owners?include=pets");
    assert_eq!(pets[0]["pets"], json!({"data": [{"id": 1, "name": "Rex", "owner_id": 1}], "has_more": true}));
}
