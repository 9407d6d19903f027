//! Filters whose names have no brackets.

use restwright::list::{Filter, HiddenFields, Page, PageResponse, SortBag, apply};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::Serialize;

use crate::{get, ids, violations};

#[derive(Clone, Serialize, Schema, Record)]
struct Pet {
    id: i64,
    name: String,
    weight_kg: f64,
}

#[derive(Filters)]
struct PetFilters {
    #[filter(eq, in, contains, default = contains)]
    name: Filter<String>,
    #[filter(gte, is_null)]
    weight_kg: Filter<f64>,
    #[filter(eq, rename = "id")]
    id: Filter<i64>,
}

#[derive(Clone, Copy, Sort)]
enum PetSort {
    #[sort(id)]
    Id,
}

#[derive(Request)]
struct ListPets {
    filters: PetFilters,
    sort: SortBag<PetSort>,
    page: Page,
    #[query("id__in")]
    id_in: Option<String>,
}

fn client(configuration: Configuration) -> TestClient {
    serving(configuration, |route| route)
}

fn serving(configuration: Configuration, set: impl FnOnce(Route) -> Route) -> TestClient {
    let list = set(Route::get("/pets").id("listPets").public()).handler(async |request: ListPets| {
        let ListPets { filters, sort, page, id_in } = request;
        let pets = [(1, "Rex", 30.0), (2, "Ada", 4.5), (3, "T,rex", 0.2)];
        let pets = pets.map(|(id, name, weight_kg)| Pet { id, name: name.to_owned(), weight_kg });
        let pets = pets.into_iter().filter(|pet| id_in.as_ref().is_none_or(|id| *id == pet.id.to_string()));
        Ok::<PageResponse<Pet>, Problem>(page.respond(apply(&filters, &sort, &page, pets)))
    });
    TestClient::new(Api::builder(configuration).controller(list).build().unwrap())
}

fn plain() -> TestClient {
    client(Configuration::new("pets", "1.0.0").plain_parameters())
}

#[test]
fn both_forms_are_accepted() {
    for (query, expected) in [
        ("name=rex", [1, 3].as_slice()),
        ("name__contains=rex&weight_kg__gte=1", &[1]),
        ("name__in=Ada,Rex", &[1, 2]),
        ("name__in=Ada&name__in=T%5C,rex", &[2, 3]),
        ("name[in]=Ada&filter[name][in]=Rex", &[1, 2]),
        ("filter[weight_kg][gte]=4&name__eq=Ada", &[2]),
        // A parameter of the request whose name is not a filter's.
        ("id__in=3", &[3]),
    ] {
        assert_eq!(ids(&get(&plain(), &format!("/pets?{query}"))), expected, "{query}");
    }
}

#[test]
fn a_condition_in_both_forms_is_a_violation() {
    for (query, code, pointer) in [
        ("name__in=Ada&name[in]=Rex", "duplicate_condition", "/name[in]"),
        ("filter[name][in]=Rex&name__in=Ada", "duplicate_condition", "/name__in"),
        ("weight_kg__gte=1&weight_kg[gte]=1", "duplicate_condition", "/weight_kg[gte]"),
        ("weight_kg__gte=heavy", "type", "/weight_kg__gte"),
        ("weight_kg__lt=1", "unknown_property", "/weight_kg__lt"),
        ("weight_kg__wings=1", "unknown_property", "/weight_kg__wings"),
        ("wings__gte=1", "unknown_property", "/wings__gte"),
    ] {
        let found = violations(&get(&plain(), &format!("/pets?{query}")));
        assert_eq!(found, [(code.to_owned(), pointer.to_owned())], "{query}");
    }
}

#[test]
fn without_the_setting_a_plain_name_is_unknown() {
    let client = client(Configuration::new("pets", "1.0.0"));
    let found = violations(&get(&client, "/pets?weight_kg__gte=1"));
    assert_eq!(found, [("unknown_property".to_owned(), "/weight_kg__gte".to_owned())]);
}

#[test]
fn the_document_contains_only_plain_names() {
    let document = serde_json::to_value(Document::from_api(plain().api())).unwrap();
    let parameters = document["paths"]["/pets"]["get"]["parameters"].as_array().unwrap();
    let names: Vec<_> = parameters.iter().map(|parameter| parameter["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "name__eq",
            "name__in",
            "name",
            "weight_kg__gte",
            "weight_kg__is_null",
            "id",
            "order_by",
            "page",
            "limit",
            "id__in"
        ]
    );
    // `.ci/programs/documents` reads the file with a program that accepts no brackets.
    let file = include_str!("../../../../.ci/programs/documents/plain.json");
    assert_eq!(document, serde_json::from_str::<serde_json::Value>(file).unwrap());
}

#[test]
fn a_hidden_field_has_no_plain_name() {
    let hidden = HiddenFields::new(|_| vec!["weight_kg".into()]);
    let client = serving(Configuration::new("pets", "1.0.0").plain_parameters(), |route| route.with(hidden));
    // The response is the same as for a field that does not exist, without a suggestion.
    let message = |name: &str| client.get(format!("/pets?{name}=1")).send().text().replace(name, "NAME");
    let without_request = |text: String| text.split(",\"request_id\"").next().unwrap().to_owned();
    assert_eq!(without_request(message("weight_kg__gte")), without_request(message("wings_kg__gte")));
    client.get("/pets?weight_kg__gt=1").send().assert_violations([("query", "/weight_kg__gt", "unknown_property")]);
}

#[derive(Filters)]
struct Colliding {
    #[filter(eq, gte)]
    age: Filter<i64>,
    #[filter(eq, rename = "age__gte")]
    at_least: Filter<i64>,
}

#[derive(Request)]
struct ListColliding {
    filters: Colliding,
}

#[derive(Request)]
struct Taken {
    filters: PetFilters,
    #[query("name__contains")]
    contains: Option<String>,
}

#[test]
fn the_long_name_of_a_default_operator_is_reserved() {
    let list = Route::get("/pets").id("listPets").public();
    let list = list.handler(async |request: Taken| {
        Ok(Data(request.filters.name.iter().count() + request.contains.iter().count()))
    });
    let errors =
        Api::builder(Configuration::new("pets", "1.0.0").plain_parameters()).controller(list).build().map(|_| ());
    let errors = errors.unwrap_err().to_string();
    assert!(errors.contains("the query parameter `name__contains` conflicts with `name`"), "{errors}");
}

#[test]
fn names_that_collide_do_not_build() {
    let build = |configuration: Configuration| {
        let list = Route::get("/pets")
            .id("listPets")
            .public()
            .handler(async |request: ListColliding| Ok(Data(request.filters.age.iter().count())));
        Api::builder(configuration).controller(list).build().map(|_| ()).map_err(|errors| errors.to_string())
    };
    assert_eq!(build(Configuration::new("pets", "1.0.0")), Ok(()));
    let errors = build(Configuration::new("pets", "1.0.0").plain_parameters()).unwrap_err();
    let expected = "the filter `age__gte` has the same name as the filter `age` with the operator `gte`, because the configuration has \
                    `.plain_parameters()`; rename one of them";
    assert!(errors.contains(expected), "{errors}");
}
