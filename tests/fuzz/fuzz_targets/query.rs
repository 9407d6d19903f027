#![no_main]
//! Query strings for a list with filters of all types and operators, an order and pages. A response is a page of the items, or violations
//! of the query; it is as the document says. It stays the same if letters, digits and brackets are percent-encoded. The figures of a page
//! fit its items, and no item is on it twice.

use std::fmt::Write;
use std::sync::Arc;

use libfuzzer_sys::{Corpus, fuzz_target};
use restwright::list::{Filter, Page, SortBag, apply};
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Species {
    Cat,
    Dog,
}

#[derive(Serialize, Schema, Record)]
struct Pet {
    id: i64,
    name: String,
    species: Species,
    age: Option<i32>,
    weight: f64,
    is_tame: bool,
}

#[derive(Filters)]
struct PetFilters {
    #[filter(eq, ne, in, contains, starts_with, ends_with, default = contains)]
    name: Filter<String>,
    #[filter(eq, ne, in)]
    species: Filter<Species>,
    #[filter(eq, gt, gte, lt, lte, between, is_null, in, minimum = 0)]
    age: Filter<i32>,
    #[filter(gt, lt, between)]
    weight: Filter<f64>,
    #[filter(eq)]
    is_tame: Filter<bool>,
}

#[derive(Clone, Copy, Sort)]
enum PetSort {
    #[sort(id)]
    Id,
    Name,
    Age,
    Weight,
}

#[derive(Request)]
struct ListPets {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
}

thread_local! {
    static CLIENT: TestClient = {
        let names = ["", "Rex", "rex", "Ad\u{e4}", "a,b", "\u{df}"];
        let pet = |id: i64| {
            Arc::new(Pet {
                id,
                name: names[id as usize % names.len()].to_owned(),
                species: if id % 3 == 0 { Species::Dog } else { Species::Cat },
                age: (id % 4 != 0).then_some(id as i32),
                weight: id as f64 / 8.0 - 0.5,
                is_tame: id % 2 == 0,
            })
        };
        let pets: Vec<_> = (0..12).map(pet).collect();
        let pets = Arc::new(pets);
        let route = Route::get("/pets").id("listPets").public().handler(move |request: ListPets| {
            let pets = Arc::clone(&pets);
            async move {
                let ListPets { filters, sort, page } = request;
                Ok(page.respond(apply(&filters, &sort, &page, pets.iter()).cloned()))
            }
        });
        TestClient::new(Api::builder(Configuration::new("pets", "1.0.0")).controller(route).build().expect("an Api"))
    };
}

fuzz_target!(|bytes: &[u8]| -> Corpus {
    // The bytes that a request target may have (RFC 3986, section 3.4).
    if !bytes.iter().all(|byte| matches!(byte, b'!'..=b'~') && *byte != b'#') {
        return Corpus::Reject;
    }
    let query = std::str::from_utf8(bytes).expect("ASCII");
    CLIENT.with(|client| {
        let response = client.get(format!("/pets?{query}")).send();
        // It is slow: it compiles the schemas of the operation.
        if bytes.len().is_multiple_of(8) {
            response.assert_documented();
        }
        assert!(matches!(response.status().as_u16(), 200 | 400 | 422), "{}", response.status());
        let encoded = client.get(format!("/pets?{}", encoded(query))).send();
        assert_eq!(body(&encoded), body(&response));
        if response.status() == 200 {
            check_page(&response);
        } else if response.status() == 422 {
            assert!(
                response.json::<Value>()["errors"]
                    .as_array()
                    .expect("errors")
                    .iter()
                    .all(|error| error["in"] == "query")
            );
        }
    });
    Corpus::Keep
});

/// Returns the body without the identifier of the request.
fn body(response: &TestResponse) -> (u16, Value) {
    let mut body: Value = response.json();
    if let Some(problem) = body.as_object_mut() {
        problem.remove("request_id");
    }
    (response.status().as_u16(), body)
}

/// Percent-encodes letters, digits and brackets, except where they encode another byte.
fn encoded(query: &str) -> String {
    let (mut encoded, mut plain) = (String::new(), 0);
    for character in query.chars() {
        if character == '%' {
            plain = 3;
        }
        if plain > 0 || !(character.is_ascii_alphanumeric() || matches!(character, '[' | ']' | '_')) {
            plain = usize::saturating_sub(plain, 1);
            encoded.push(character);
        } else {
            write!(encoded, "%{:02X}", u32::from(character)).expect("memory");
        }
    }
    encoded
}

/// Checks that the figures of a page fit its items.
fn check_page(response: &TestResponse) {
    let page: Value = response.json();
    let items = page["data"].as_array().expect("items");
    let figure = |name: &str| page["pagination"][name].as_u64().expect("a figure");
    let (number, size, total) = (figure("page"), figure("page_size"), figure("total"));
    let expected = total.saturating_sub((number - 1).saturating_mul(size)).min(size);
    assert!(total <= 12 && items.len() as u64 == expected, "{page}");
    assert_eq!(page["pagination"]["has_more"], number.saturating_mul(size) < total, "{page}");
    let mut ids: Vec<_> = items.iter().map(|item| item["id"].as_i64()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), items.len(), "{page}");
}
