//! The whole of a small resource: its requests.

use jiff::Timestamp;
use restwright::list::Filter;
use restwright::prelude::*;
use restwright::resource::{Entity, Resource};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{client, fields, send};

/// An animal in the shelter.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/animals", pagination = page(max = 100))]
pub(crate) struct Animal {
    #[property(id)]
    id: Uuid,
    /// What it is called.
    #[property(min_length = 1, max_length = 100, filter(eq, contains), sort)]
    name: String,
    #[property(filter(eq, in))]
    species: Species,
    #[property(minimum = 0.0, filter(gt, lt), exclude(list))]
    weight_kg: Option<f64>,
    #[property(exclude(list))]
    seen_at: Option<Timestamp>,
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Species {
    Dog,
    Cat,
}

#[test]
fn one_struct_has_five_endpoints() {
    let client = client::<Animal>();
    let body = json!({"name": "Ada", "species": "dog", "weight_kg": 30.5});
    let created = send(&client, "POST /animals", Some(&body));
    let path = created.assert_status(201).header("location").unwrap().to_owned();
    let shown = created.json::<Value>()["data"].clone();
    assert_eq!((&shown["name"], &shown["weight_kg"]), (&json!("Ada"), &json!(30.5)));
    assert_eq!(path, format!("/animals/{}", shown["id"].as_str().unwrap()));

    let one = |method: &str| format!("{method} {path}");
    assert_eq!(send(&client, &one("GET"), None).assert_status(200).json::<Value>()["data"], shown);
    let changed = send(&client, &one("PATCH"), Some(&json!({"weight_kg": null})));
    assert_eq!(changed.assert_status(200).json::<Value>()["data"]["weight_kg"], Value::Null);

    send(&client, "POST /animals", Some(&json!({"name": "Rex", "species": "cat"}))).assert_status(201);
    let names = |query: &str| {
        let listed: Value = send(&client, &format!("GET /animals?{query}"), None).assert_status(200).json();
        listed["data"].as_array().unwrap().iter().map(|item| item["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("name[contains]=D"), ["Ada"]);
    assert_eq!(names("species[in]=cat,dog&order_by=name"), ["Ada", "Rex"]);
    assert_eq!(names("order_by=-name"), ["Rex", "Ada"]);
    assert_eq!(names("weight_kg[gt]=1").len(), 0);
    let listed: Value = send(&client, "GET /animals", None).json();
    assert_eq!(listed["data"][0].get("weight_kg"), None);

    send(&client, &one("DELETE"), None).assert_status(204);
    send(&client, &one("GET"), None).assert_status(404);
}

#[test]
fn what_clients_send_is_checked() {
    let client = client::<Animal>();
    let codes = |request: &str, body: Value| {
        let response: Value = send(&client, request, Some(&body)).assert_status(422).json();
        let errors = response["errors"].as_array().unwrap().iter();
        errors.map(|error| format!("{} {}", error["pointer"], error["code"]).replace('"', "")).collect::<Vec<_>>()
    };
    let body = json!({"id": Uuid::nil(), "name": "", "species": "cow", "weight_kg": -1, "created_at": "now"});
    assert_eq!(
        codes("POST /animals", body),
        [
            "/id unknown_property",
            "/name min_length",
            "/species enum",
            "/weight_kg minimum",
            "/created_at unknown_property"
        ]
    );
    let created = send(&client, "POST /animals", Some(&json!({"name": "Ada", "species": "dog"})));
    let path = format!("PATCH {}", created.header("location").unwrap());
    assert_eq!(codes(&path, json!({"id": Uuid::nil()})), ["/id read_only"]);
    assert_eq!(
        codes(&path, json!({"id": Uuid::nil(), "name": null, "color": "red"})),
        ["/name null", "/color unknown_property"]
    );
}

#[test]
fn stores_have_its_values() {
    assert_eq!(
        fields::<Animal>(),
        [
            "id Uuid",
            "name Text searchable sortable",
            "species Enumeration",
            "weight_kg Number nullable",
            "seen_at DateTime nullable",
            "created_at DateTime sortable CreatedAt"
        ]
    );
}

#[test]
fn a_row_contains_its_values() {
    let new = NewAnimal { name: "Ada".to_owned(), species: Species::Cat, weight_kg: Some(1.5), seen_at: None };
    let animal = Animal::create(new);
    let mut row = animal.to_row(&Animal::definition()).unwrap();
    assert_eq!(
        ["name", "species", "weight_kg", "seen_at"].map(|field| row.value(field)),
        ["Ada".into(), "cat".into(), 1.5.into(), restwright::list::Value::Null]
    );
    assert!(row.set("seen_at", Timestamp::UNIX_EPOCH.into()) && !row.set("weight_kg", "much".into()));
    let read = Animal::from_row(&mut row).unwrap();
    assert_eq!((read.id, read.name, read.species, read.weight_kg), (animal.id, animal.name, Species::Cat, Some(1.5)));
    assert_eq!(read.seen_at, Some(Timestamp::UNIX_EPOCH));
}

/// The types that are made can be used like any other.
#[test]
fn the_types_are_the_applications() {
    let new = NewAnimal { name: "Ada".to_owned(), species: Species::Cat, weight_kg: None, seen_at: None };
    let animal = <Animal as restwright::resource::Resource>::create(new.clone());
    assert_eq!((animal.id, animal.created_at, animal.species), (Uuid::nil(), Timestamp::UNIX_EPOCH, new.species));
    let changes = AnimalChanges { name: Patch::Value("Rex".to_owned()), ..AnimalChanges::default() };
    let changed = changes.apply(&animal).unwrap();
    assert_eq!((changed.name.as_str(), AnimalItem::from(animal).name.as_str()), ("Rex", "Ada"));
    let filters =
        AnimalFilters { name: Filter::eq("Ada".to_owned()), species: Filter::default(), weight_kg: Filter::default() };
    assert_eq!(restwright::Filters::conditions(&filters).len(), 1);
    assert_eq!(restwright::Sort::name(&AnimalSort::CreatedAt), "created_at");
}
