//! Which shapes have a property.

use restwright::prelude::*;
use restwright::resource::Resource;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{document, fields, properties};

/// Everything is shown, and nothing is filtered.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/boxes")]
struct Box {
    #[property(id)]
    id: i64,
    label: String,
}

/// Lists and views lack the same.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/secrets")]
struct Secret {
    #[property(id)]
    id: i64,
    #[property(write_only)]
    text: String,
}

/// One field for each direction.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/keys")]
struct Key {
    #[property(id)]
    id: i64,
    #[property(write_only)]
    text: String,
    #[property(read_only)]
    uses: u8,
}

/// Clients give the identifier.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/categories")]
#[serde(default)]
struct Category {
    #[property(id(given), max_length = 3)]
    code: String,
    title: String,
    #[property(exclude(create))]
    rank: u8,
}

impl Default for Category {
    fn default() -> Self {
        Self { code: "new".to_owned(), title: "New".to_owned(), rank: 7 }
    }
}

/// Clients send nothing.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/tickets")]
struct Ticket {
    #[property(id)]
    id: i64,
}

fn names_of_types<R: Resource>() -> Vec<&'static str> {
    let names = [
        std::any::type_name::<R::New>(),
        std::any::type_name::<R::Update>(),
        std::any::type_name::<R::View>(),
        std::any::type_name::<R::Item>(),
        std::any::type_name::<R::Filters>(),
        std::any::type_name::<R::Sort>(),
    ];
    names.map(|name| name.rsplit("::").next().unwrap()).to_vec()
}

#[test]
fn types_are_made_where_something_is_left_out() {
    assert_eq!(names_of_types::<Box>(), ["NewBox", "BoxChanges", "Box", "Box", "BoxFilters", "BoxSort"]);
    assert_eq!(names_of_types::<Secret>()[2..4], ["SecretView", "SecretView"]);
    assert_eq!(names_of_types::<Key>()[2..4], ["KeyView", "KeyView"]);
}

#[test]
fn each_shape_has_what_it_is_to_have() {
    for (document, expected) in [
        (document::<Box>(), [("NewBox", "label"), ("BoxChanges", "label"), ("Box", "id label")]),
        (document::<Secret>(), [("NewSecret", "text"), ("SecretChanges", "text"), ("SecretView", "id")]),
        (document::<Key>(), [("NewKey", "text"), ("KeyChanges", "text"), ("KeyView", "id uses")]),
        (
            document::<Category>(),
            [("NewCategory", "code title"), ("CategoryChanges", "title rank"), ("Category", "code title rank")],
        ),
        (document::<Ticket>(), [("NewTicket", ""), ("TicketChanges", ""), ("Ticket", "id")]),
    ] {
        for (name, properties_of) in expected {
            let found = properties(&document, name).0.join(" ");
            assert_eq!(found, properties_of, "{name}");
        }
    }
}

#[test]
fn definitions_have_names_in_the_plural() {
    let names = [Box::entity_name(), Secret::entity_name(), Key::entity_name(), Category::entity_name()];
    assert_eq!(names, ["boxes", "secrets", "keys", "categories"]);
    assert_eq!(fields::<Category>(), ["code Text", "title Text", "rank Integer"]);
    assert_eq!(fields::<Key>(), ["id Integer", "text Text", "uses Integer"]);
}

#[test]
fn given_identifiers_and_the_default_of_the_struct() {
    let client = super::client::<Category>();
    let created = super::send(&client, "POST /categories", Some(&json!({"code": "pet"})));
    created.assert_status(201).assert_json(&json!({"data": {"code": "pet", "title": "New", "rank": 7}}));
    let changed = super::send(&client, "PATCH /categories/pet", Some(&json!({"rank": 1, "title": null})));
    changed.assert_status(200).assert_json(&json!({"data": {"code": "pet", "title": "New", "rank": 1}}));
    super::send(&client, "PATCH /categories/pet", Some(&json!({"code": "dog"}))).assert_status(422);
    super::send(&client, "POST /categories", Some(&json!({"code": "long"}))).assert_status(422);
}

#[test]
fn a_replacement_leaves_what_clients_do_not_send() {
    let mut category = Category { code: "pet".to_owned(), title: "Pets".to_owned(), rank: 1 };
    category.replace(NewCategory { code: "dog".to_owned(), title: "Dogs".to_owned() });
    assert_eq!((category.code.as_str(), category.title.as_str(), category.rank), ("dog", "Dogs", 1));
}

#[test]
fn a_list_without_filters() {
    let client = super::client::<Box>();
    super::send(&client, "POST /boxes", Some(&json!({"label": "A"}))).assert_status(201);
    super::send(&client, "GET /boxes?order_by=-id", None).assert_status(200);
    super::send(&client, "GET /boxes?filter[label]=A", None).assert_status(422);
    super::send(&client, "GET /boxes?order_by=label", None).assert_status(422);
}

/// A resource without a path.
#[derive(Clone, Serialize, Resource)]
struct ParkingSpace {
    #[property(id)]
    id: i64,
}

#[derive(Clone, Serialize, Resource)]
#[resource(table = "lots")]
struct ParkingLot {
    #[property(id)]
    id: i64,
}

#[test]
fn the_default_path_is_the_name_of_the_definition() {
    assert_eq!((ParkingSpace::PATH, ParkingLot::PATH), ("/parking-spaces", "/lots"));
}
