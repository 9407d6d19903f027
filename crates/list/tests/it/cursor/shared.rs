//! Filters, order and cursor of one request, in every order of its fields.

use restwright::list::{Cursor, CursorKey, CursorResponse, SortBag, apply};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::Value;

use crate::pets::{Pet, PetFilters, PetSort, Shelter, five};
use crate::{get, ids, violations};

/// A controller whose request has the three parts in the order in which it names them.
macro_rules! list {
    ($request:ident, $controller:ident, $path:literal, $($field:ident: $type:ty),*) => {
        #[derive(Request)]
        struct $request {
            $($field: $type),*
        }

        struct $controller(Shelter);

        impl Controller for $controller {
            type Request = $request;
            type Response = CursorResponse<Pet>;

            fn route(&self) -> Route {
                Route::get($path).public()
            }

            async fn handle(&self, $request { filters, sort, page }: $request) -> Result<CursorResponse<Pet>> {
                Ok(page.respond(apply(&filters, &sort, &page, &*self.0.lock().unwrap()).cloned()))
            }
        }
    };
}

list!(First, ListFirst, "/first", page: Cursor, filters: PetFilters, sort: SortBag<PetSort>);
list!(Middle, ListMiddle, "/middle", sort: SortBag<PetSort>, page: Cursor, filters: PetFilters);
list!(Last, ListLast, "/last", filters: PetFilters, sort: SortBag<PetSort>, page: Cursor);

fn client() -> TestClient {
    let pets = five();
    let configuration = Configuration::new("pets", "1.0.0").with(CursorKey::new([7; 32]));
    let api = Api::builder(configuration)
        .controller(ListFirst(pets.clone()))
        .controller(ListMiddle(pets.clone()))
        .controller(ListLast(pets))
        .build();
    TestClient::new(api.unwrap())
}

const PATHS: [&str; 3] = ["/first", "/middle", "/last"];

#[test]
fn the_order_of_the_fields_changes_nothing() {
    let client = client();
    for path in PATHS {
        let query = "order_by=-name&weight_kg[gte]=1&species[in]=dog,cat&limit=1";
        let first = get(&client, &format!("{path}?{query}"));
        let cursor = first.json::<Value>()["pagination"]["next_cursor"].as_str().unwrap().to_owned();
        let second = get(&client, &format!("{path}?{query}&cursor={cursor}"));
        let both = get(&client, &format!("{path}?{query}").replace("limit=1", "limit=2"));
        assert_eq!([ids(&first), ids(&second)].concat(), ids(&both), "{path}");
    }
}

#[test]
fn violations_are_reported_once() {
    let client = client();
    for path in PATHS {
        let response = get(&client, &format!("{path}?order_by=wings&weight_kg[gte]=heavy&cursor=x&limit=0"));
        let mut pointers: Vec<_> = violations(&response).into_iter().map(|(_, pointer)| pointer).collect();
        pointers.sort();
        assert_eq!(pointers, ["/cursor", "/limit", "/order_by", "/weight_kg[gte]"], "{path}");
    }
}
