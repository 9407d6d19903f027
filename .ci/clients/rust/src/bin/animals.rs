//! Calls the animals through the client that progenitor generated.

use std::collections::HashSet;

use clients::{connection, problem};
use serde_json::json;

progenitor::generate_api!(
    spec = "generated/animals/openapi-3.0.json",
    interface = Builder,
    replace = { AnimalChanges = serde_json::Value },
);

use types::{NewAnimal, NewAnimalName, Problem, ViolationIn};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (address, http) = connection();
    let client = Client::new_with_client(&address, http);

    // Create and view.
    let ada = NewAnimal::builder().name("Ada").species("cat").weight_kg(4.2).born_on("2020-02-29".parse().ok());
    let created = client.create_animal().body(ada).send().await.unwrap();
    let id = created.data.id;
    let viewed = client.view_animal().id(id).send().await.unwrap();
    assert_eq!((viewed.data.name.as_str(), viewed.data.weight_kg), ("Ada", Some(4.2)));
    assert_eq!(viewed.data.born_on, "2020-02-29".parse().ok());

    // List with filters: two values, a bound and an order.
    let bo = NewAnimal::builder().name("Bo").species("dog").weight_kg(12.0);
    client.create_animal().body(bo).send().await.unwrap();
    let species = ["cat", "dog"].map(|one| one.parse().unwrap()).to_vec();
    let order = vec!["-name".parse().unwrap()];
    let listed = client.list_animals().filter_species_in(species).filter_weight_kg_gt(4.0).order_by(order);
    let listed = listed.send().await.unwrap();
    let names: Vec<_> = listed.data.iter().map(|animal| animal.name.as_str()).collect();
    assert_eq!((names, listed.pagination.total), (vec!["Bo", "Ada"], 2));

    // All 1,000 pets, page by page.
    let mut pets = HashSet::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = client.list_pets_by_cursor().limit(100);
        let request = if let Some(cursor) = cursor { request.cursor(cursor) } else { request };
        let page = request.send().await.unwrap().into_inner();
        pets.extend(page.data.iter().map(|pet| pet.id));
        cursor = page.pagination.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(pets.len(), 1000);

    // Change: null clears a property, an absent property keeps its value.
    let changed = client.update_animal().id(id).body(json!({ "born_on": null })).send().await.unwrap();
    assert_eq!((changed.data.born_on, changed.data.weight_kg), (None, Some(4.2)));

    // The types reject what the document excludes, before anything is sent.
    assert!(NewAnimalName::try_from("").is_err());

    // A rejected request has a typed problem.
    let error = client.update_animal().id(id).body(json!({ "name": "" })).send().await.unwrap_err();
    let rejected: Problem = problem(error).await;
    assert_eq!((rejected.status, rejected.code.as_str()), (422, "invalid_request"));
    let violation = &rejected.errors[0];
    assert_eq!((violation.in_, violation.pointer.as_str()), (ViolationIn::Body, "/name"));
    assert_eq!(violation.code, "min_length");
    let missing: Problem = problem(client.view_pet().id(1001_u64).send().await.unwrap_err()).await;
    assert_eq!(missing.code, "pet_not_found");
}
