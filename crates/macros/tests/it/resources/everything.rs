//! A resource whose fields have everything that fields can have.

use std::collections::BTreeMap;

use jiff::Timestamp;
use restwright::prelude::*;
use restwright::schema::Invalid;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{client, component, document, fields, properties, send};

/// A member of the library.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/members",
    name = "LibraryMember",
    table = "library_members",
    pagination = offset(default = 2),
    new(derive(Debug)),
    changes = "MemberPatch",
    view = "MemberView",
    sort(derive(Debug)),
    index(mail_address, card),
    index(birth_year)
)]
#[serde(rename_all = "camelCase")]
#[schema(name = "Member", validate = not_its_own_city)]
struct Member {
    /// The number on the card.
    #[property(id, sort(default = desc))]
    card: i64,
    #[property(min_length = 1, max_length = 50, validate = not_blank, filter(eq, contains, default = contains), sort)]
    full_name: String,
    #[serde(rename = "mail", alias = "email")]
    #[property(format = "email", unique, filter(eq))]
    mail_address: String,
    #[property(write_only, min_length = 8)]
    password: String,
    /// The books that are lent.
    #[property(read_only)]
    lent: u32,
    #[property(read_only)]
    #[serde(default = "first_state")]
    state: State,
    #[serde(default = "three")]
    #[property(minimum = 1, filter(gte, index))]
    quota: u8,
    #[property(exclude(list))]
    address: Address,
    second_address: Option<Address>,
    #[serde(default)]
    #[property(renamed_from = "labels", max_items = 2, items(min_length = 1))]
    tags: Vec<String>,
    #[serde(default)]
    scores: BTreeMap<String, i64>,
    code: Option<Code>,
    codes: Option<Codes>,
    #[property(exclude(update), unique, renamed_from = "year")]
    birth_year: i16,
    #[property(modes(update, view))]
    note: Option<String>,
    #[property(exclude(create, update, view, list))]
    internal: u8,
    #[record(skip)]
    #[property(exclude(create, update, view, list))]
    cache: u8,
    #[property(updated_at)]
    changed_at: Timestamp,
    #[property(version)]
    revision: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum State {
    #[default]
    Blocked,
    Active,
}

#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
#[schema(changes)]
struct Address {
    #[property(min_length = 1)]
    street: String,
    city: String,
}

/// A value.
#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
struct Code(u16);

/// No value.
#[derive(Clone, Debug, Serialize, Deserialize, Schema)]
struct Codes(Vec<u16>);

fn first_state() -> State {
    State::Active
}

fn three() -> u8 {
    3
}

fn not_blank(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() { Err("must not be blank") } else { Ok(()) }
}

fn not_its_own_city(member: &Member) -> Result<(), Invalid> {
    if member.full_name == member.address.city {
        return Err(Invalid::new("a_city", "must not be a city").at("/fullName"));
    }
    Ok(())
}

fn ada() -> Value {
    json!({
        "fullName": "Ada", "mail": "ada@example.org", "password": "correct horse", "birthYear": 1815,
        "address": {"street": "Dorset Street", "city": "London"},
    })
}

#[test]
fn each_shape_has_its_properties() {
    let document = document::<Member>();
    let names = |name: &str| properties(&document, name).0.join(" ");
    let required = |name: &str| properties(&document, name).1.join(" ");
    // A closed object has aliases, too.
    let written = "fullName email mail password quota address secondAddress tags scores code codes";
    assert_eq!(names("NewMember"), format!("{written} birthYear"));
    assert_eq!(required("NewMember"), "fullName password address birthYear");
    assert_eq!(names("MemberChanges"), format!("{written} note"));
    assert_eq!(required("MemberChanges"), "");
    let shown = "secondAddress tags scores code codes birthYear";
    let view = format!("card fullName mail lent state quota address {shown} note changedAt revision");
    assert_eq!(names("MemberView"), view);
    assert_eq!(names("MemberItem"), format!("card fullName mail lent state quota {shown} changedAt revision"));
    for closed in ["NewMember", "MemberChanges"] {
        assert_eq!(component(&document, closed)["additionalProperties"], false, "{closed}");
    }
    let view = &document["components"]["schemas"]["MemberView"];
    assert_eq!(
        (&view["properties"]["card"]["readOnly"], &view["description"]),
        (&json!(true), &json!("A member of the library."))
    );
    assert_eq!(view["properties"]["fullName"].get("readOnly"), None);
    assert_eq!(view["properties"]["lent"]["description"], "The books that are lent.");
    assert_eq!(document["components"]["schemas"].get("Member"), None);
}

#[test]
fn stores_have_all_fields_and_records_those_of_one_value() {
    assert_eq!(
        fields::<Member>(),
        [
            "card Integer",
            "fullName Text searchable sortable",
            "mail Text unique",
            "password Text",
            "lent Integer",
            "state Enumeration",
            "quota Integer",
            "address Json",
            "secondAddress Json nullable",
            "tags Json before labels",
            "scores Json",
            "code Integer nullable",
            "codes Json nullable",
            "birthYear Integer unique before year",
            "note Text nullable",
            "internal Integer",
            "changedAt DateTime UpdatedAt",
            "revision Integer Version",
        ]
    );
    let definition = Member::definition();
    assert_eq!(definition.check(), Ok(()));
    let indexes: Vec<_> = definition.indexes().map(|fields| fields.join(" ")).collect();
    assert_eq!(indexes, ["mail card", "birthYear", "quota"]);
    for (field, expected) in
        [("fullName", true), ("tags", true), ("codes", false), ("address", false), ("cache", false)]
    {
        assert_eq!(<Member as restwright::Record>::has_field(field), expected, "{field}");
    }
    assert_eq!((Member::NAME, Member::entity_name().as_ref()), ("LibraryMember", "library_members"));
}

#[test]
fn what_clients_do_not_send_starts_with_its_default() {
    let new: NewMember = serde_json::from_value(ada()).unwrap();
    let member = Member::create(new);
    assert_eq!((member.card, member.lent, member.internal, member.cache, member.revision), (0, 0, 0, 0, 0));
    assert_eq!((member.state, member.quota, member.note), (State::Active, 3, None));
    assert_eq!(format!("{:?}", MemberSort::Card), "Card");
}

#[test]
fn a_member_is_created_changed_and_listed() {
    let client = client::<Member>();
    let created = send(&client, "POST /members", Some(&ada()));
    let shown = created.assert_status(201).json::<Value>()["data"].clone();
    assert_eq!(created.header("location"), Some("/members/1"));
    assert_eq!((&shown["state"], &shown["quota"], &shown["tags"]), (&json!("active"), &json!(3), &json!([])));
    assert_eq!((shown.get("password"), shown.get("internal"), shown.get("cache")), (None, None, None));

    let changes = json!({"address": {"city": "Ockham"}, "quota": null, "note": "kind", "tags": ["old"]});
    let shown = send(&client, "PATCH /members/1", Some(&changes)).assert_status(200).json::<Value>()["data"].clone();
    assert_eq!(shown["address"], json!({"street": "Dorset Street", "city": "Ockham"}));
    assert_eq!((&shown["note"], &shown["tags"]), (&json!("kind"), &json!(["old"])));

    let listed: Value =
        send(&client, "GET /members?mail=ada@example.org&order_by=fullName", None).assert_status(200).json();
    assert_eq!(listed["data"][0]["fullName"], "Ada");
    assert_eq!((listed["data"][0].get("address"), listed["data"][0].get("note")), (None, None));
    send(&client, "POST /members", Some(&ada())).assert_status(409);
}

#[test]
fn constraints_and_own_checks_hold() {
    let client = client::<Member>();
    let errors = |request: &str, body: &Value| {
        let response: Value = send(&client, request, Some(body)).assert_status(422).json();
        let errors = response["errors"].as_array().unwrap().iter();
        errors.map(|error| format!("{} {}", error["pointer"], error["code"]).replace('"', "")).collect::<Vec<_>>()
    };
    let with = |changes: Value| {
        let mut body = ada();
        body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        body
    };
    assert_eq!(errors("POST /members", &with(json!({"fullName": " "}))), ["/fullName invalid"]);
    assert_eq!(errors("POST /members", &with(json!({"fullName": "London"}))), ["/fullName a_city"]);
    assert_eq!(
        errors("POST /members", &with(json!({"tags": ["a", "", "c"], "password": "x", "note": "x", "lent": 1}))),
        [
            "/password min_length",
            "/tags max_items",
            "/tags/1 min_length",
            "/note unknown_property",
            "/lent unknown_property"
        ]
    );
    send(&client, "POST /members", Some(&ada())).assert_status(201);
    assert_eq!(errors("PATCH /members/1", &json!({"fullName": " "})), ["/fullName invalid"]);
    assert_eq!(errors("PATCH /members/1", &json!({"birthYear": 1})), ["/birthYear read_only"]);
    assert_eq!(errors("PATCH /members/1", &json!({"secondAddress": {"city": "Ulm"}})), ["/secondAddress required"]);
}
