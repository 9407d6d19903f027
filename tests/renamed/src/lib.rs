//! Each derive in a crate that has no `restwright`: `web` is the facade under another name, and [`below`] has the crates below the facade.

pub mod below;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use web::list::{Filter, Page, PageResponse, SortBag, apply};

/// An animal, whose types for requests and responses are generated.
#[derive(Debug, Clone, Serialize, Deserialize, web::Resource)]
#[resource(crate = "web", path = "/animals", pagination = cursor)]
pub struct Animal {
    #[property(id)]
    id: Uuid,
    #[property(min_length = 1, filter(eq, contains), sort)]
    name: String,
    #[property(filter(eq, in))]
    species: Species,
    #[property(unique)]
    chip: Option<String>,
    #[property(version)]
    version: i64,
}

/// A kind of animals.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, web::Schema)]
#[schema(crate = "web")]
#[serde(rename_all = "lowercase")]
pub enum Species {
    /// A cat.
    Cat,
    /// A dog.
    Dog,
}

/// A pet, and the type of its changes.
#[derive(Debug, Clone, Serialize, Deserialize, web::Record, web::Schema)]
#[record(crate = "web")]
#[schema(changes(derive(Debug)), crate = "web")]
pub struct Pet {
    id: i64,
    #[property(min_length = 1)]
    name: String,
}

/// The filters of a list of pets.
#[derive(Debug, web::Filters)]
#[filter(crate = "web", rename_all = "camelCase")]
pub struct PetFilters {
    #[filter(eq)]
    name: Filter<String>,
}

/// The orders of a list of pets.
#[derive(Debug, Clone, Copy, web::Sort)]
#[sort(crate = "web")]
pub enum PetSort {
    /// By name.
    Name,
    /// By identifier.
    #[sort(id)]
    Id,
}

/// The tenant of a request.
#[derive(Debug, web::Part)]
#[part(crate = "web")]
pub struct Tenant {
    #[header("X-Tenant")]
    tenant: Option<String>,
}

/// A request for pets.
#[derive(Debug, web::Request)]
#[request(crate = "web")]
pub struct ListPets {
    tenant: Tenant,
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

/// A change of the pet.
#[derive(Debug, web::Request)]
#[request(crate = "web")]
pub struct ChangePet {
    #[body]
    changes: PetChanges,
}

/// A changed pet.
#[derive(Debug, web::Response)]
#[response(crate = "web", status = 202)]
pub struct Changed {
    #[header("X-Length")]
    length: u32,
    #[body]
    pet: Pet,
}

/// Why no pets are listed.
#[derive(Debug, web::Problem)]
#[problem(crate = "web")]
pub enum PetProblem {
    /// The tenant does not exist.
    #[problem(status = 404, detail = "The tenant `{0}` does not exist.")]
    NoTenant(String),
}

/// Returns the pets of a list.
///
/// # Errors
/// The tenant does not exist.
pub async fn list(request: ListPets) -> web::Result<PageResponse<Pet>> {
    if let Some(tenant) = request.tenant.tenant {
        return Err(PetProblem::NoTenant(tenant).into());
    }
    let pets = ["Bo", "Ada", "Rex"].into_iter().zip(1..).map(|(name, id)| Pet { id, name: name.to_owned() });
    Ok(request.page.respond(apply(&request.filters, &request.sort, &request.page, pets)))
}

/// Returns a pet with changes.
///
/// # Errors
/// None.
pub async fn change(request: ChangePet) -> web::Result<Changed> {
    let pet = request
        .changes
        .apply(&Pet { id: 1, name: "Bo".to_owned() })
        .map_err(|violations| web::Problem::internal(violations.to_string()))?;
    Ok(Changed { length: u32::try_from(pet.name.len()).unwrap_or_default(), pet })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use web::auth::Access;
    use web::resource::MemoryStore;
    use web::resource::Resources as _;
    use web::testing::TestClient;
    use web::{Api, Configuration, Route};

    use super::*;

    fn client() -> TestClient {
        let api = Api::builder(Configuration::new("renamed", "1.0.0"))
            .controller(Route::get("/pets").id("listPets").public().problems::<PetProblem>().handler(list))
            .controller(Route::patch("/pet").id("changePet").public().handler(change))
            .resource::<Animal>(MemoryStore::new(), Access::public());
        TestClient::new(api.build().unwrap())
    }

    #[test]
    fn requests_and_responses_work_under_another_name() {
        let client = client();
        let page =
            client.get("/pets?name=Ada&order_by=-name").send().assert_status(200).assert_documented().json::<Value>();
        assert_eq!(page["data"], json!([{"id": 2, "name": "Ada"}]));
        let lost = client.get("/pets").header("X-Tenant", "a").send();
        lost.assert_problem("no_tenant").assert_documented();
        let changed = client.patch("/pet").json(&json!({"name": "Max"})).send();
        changed.assert_status(202).assert_header("X-Length", "3").assert_documented();
        client.patch("/pet").json(&json!({"name": ""})).send().assert_status(422).assert_documented();
    }

    #[test]
    fn a_resource_works_under_another_name() {
        let client = client();
        let made = client.post("/animals").json(&json!({"name": "Ada", "species": "cat"})).send();
        let id = made.assert_status(201).assert_documented().json::<Value>()["data"]["id"].as_str().unwrap().to_owned();
        let path = format!("/animals/{id}");
        client.patch(&path).json(&json!({"name": ""})).send().assert_status(422).assert_documented();
        client.patch(&path).json(&json!({"chip": "1"})).send().assert_status(200).assert_documented();
        let list = client
            .get("/animals?species=cat&order_by=name")
            .send()
            .assert_status(200)
            .assert_documented()
            .json::<Value>();
        assert_eq!(list["data"][0]["chip"], "1");
    }
}
