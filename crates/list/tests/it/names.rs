//! Fields that are called otherwise in JSON than in Rust, by a rule of serde's.

use restwright::list::{Filter, Page, PageResponse, SortBag, apply};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::Serialize;

use crate::compared::Compared;
use crate::{get, ids};

#[derive(Clone, Serialize, Schema, Record)]
#[serde(rename_all = "camelCase")]
struct Pet {
    id: i64,
    weight_kg: f64,
    born_in: i32,
}

#[derive(Filters)]
#[filter(rename_all = "camelCase")]
struct PetFilters {
    #[filter(gte)]
    weight_kg: Filter<f64>,
    #[filter(eq, rename = "bornIn")]
    born: Filter<i32>,
}

#[derive(Clone, Copy, Sort)]
#[sort(rename_all = "camelCase")]
enum PetSort {
    WeightKg,
    #[sort(rename = "bornIn")]
    Born,
    #[sort(id)]
    Id,
}

#[derive(Request)]
struct ListPetsRequest {
    filters: Compared<PetFilters>,
    sort: SortBag<PetSort>,
    page: Page,
}

struct ListPets;

impl Controller for ListPets {
    type Request = ListPetsRequest;
    type Response = PageResponse<Pet>;

    fn route(&self) -> Route {
        Route::get("/pets").public()
    }

    async fn handle(
        &self,
        ListPetsRequest { filters: Compared(filters), sort, page }: ListPetsRequest,
    ) -> Result<PageResponse<Pet>> {
        let pets = [(1, 3.0, 2020), (2, 1.0, 2021), (3, 2.0, 2020)];
        let pets = pets.map(|(id, weight_kg, born_in)| Pet { id, weight_kg, born_in });
        Ok(page.respond(apply(&filters, &sort, &page, pets)))
    }
}

#[test]
fn filters_and_orders_name_fields_by_a_rule() {
    let client =
        TestClient::new(Api::builder(Configuration::new("pets", "1.0.0")).controller(ListPets).build().unwrap());
    for (query, expected) in [
        ("order_by=weightKg", [2, 3, 1].as_slice()),
        ("weightKg[gte]=2&order_by=-bornIn,weightKg", &[3, 1]),
        ("filter[bornIn]=2021", &[2]),
    ] {
        assert_eq!(ids(&get(&client, &format!("/pets?{query}"))), expected, "{query}");
    }
    get(&client, "/pets?weight_kg[gte]=2").assert_status(422);
}
