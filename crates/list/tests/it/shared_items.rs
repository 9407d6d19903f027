//! Lists whose items are shared or borrowed.

use std::sync::Arc;

use restwright::list::{Page, SortBag};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_list::apply;
use serde::Serialize;

/// A pet.
#[derive(Clone, Serialize, Schema, Record)]
struct Pet {
    id: i64,
    name: &'static str,
}

#[derive(Clone, Copy, Sort)]
enum PetSort {
    #[sort(id)]
    Id,
}

#[derive(Request)]
struct ListPets {
    sort: SortBag<PetSort>,
    page: Page,
}

static PETS: [Pet; 3] = [Pet { id: 1, name: "Ada" }, Pet { id: 2, name: "Bo" }, Pet { id: 3, name: "Cleo" }];

/// Returns the document of a list and its second page.
fn list<T: Schema + Serialize + Record + Clone + Send + Sync + 'static>(pets: Vec<T>) -> (String, String) {
    let route = Route::get("/pets").id("listPets").public();
    let list = route.handler(async move |ListPets { sort, page }: ListPets| {
        Ok(page.respond(apply(&(), &sort, &page, &pets).cloned()))
    });
    let api = Api::builder(Configuration::new("pets", "1.0.0")).controller(list).build().unwrap();
    let response = TestClient::new(api.clone()).get("/pets?limit=2&page=2").send();
    response.assert_status(200).assert_documented();
    (Document::from_api(&api).to_json(), response.text().to_owned())
}

#[test]
fn they_are_documented_and_written_like_owned_ones() {
    let owned = list(PETS.to_vec());
    assert!(owned.1.starts_with(r#"{"data":[{"id":3,"name":"Cleo"}],"#), "{}", owned.1);
    assert_eq!(list(PETS.iter().cloned().map(Arc::new).collect()), owned);
    assert_eq!(list(PETS.iter().collect::<Vec<&'static Pet>>()), owned);
    assert_eq!(list(PETS.iter().cloned().map(Box::new).collect()), owned);
}
