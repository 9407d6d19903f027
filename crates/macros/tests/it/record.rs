//! Records: which values their fields have, and under which names.

use std::borrow::Cow;
use std::net::Ipv4Addr;
use std::rc::Rc;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use restwright::list::{FieldValue as _, Value};
use restwright::{Record, Schema};
use serde::Serialize;
use uuid::Uuid;

#[derive(Serialize, Schema)]
#[serde(rename_all = "kebab-case")]
enum Species {
    GuineaPig,
    #[serde(rename = "cat", alias = "felis")]
    Cat,
    #[serde(skip)]
    #[allow(dead_code, reason = "as are those that only this process knows")]
    Unheard,
}

#[derive(Serialize, Schema)]
struct Chip(Uuid);

#[derive(Serialize, Schema)]
#[serde(transparent)]
struct Measured<T> {
    value: T,
}

/// Not a value, which matters to nobody who does not use it as one.
#[derive(Serialize, Schema)]
struct Tags(Vec<String>);

#[derive(Serialize, Schema, Record)]
#[serde(rename_all = "camelCase")]
struct Everything<'e, T> {
    #[serde(rename = "kind")]
    species: Species,
    r#type: Option<Species>,
    chip: Option<Chip>,
    weight_kg: Measured<f64>,
    legs: T,
    height: f32,
    calm: bool,
    born_on: Date,
    seen: Option<Timestamp>,
    nickname: &'e str,
    name: Cow<'e, str>,
    address: Ipv4Addr,
    #[record(skip)]
    tags: Tags,
    #[serde(skip)]
    secret: String,
}

#[derive(Record)]
struct Whole {
    id: u64,
    #[serde(flatten)]
    near: Near,
    #[serde(flatten)]
    far: Box<Far>,
    #[serde(flatten)]
    unknown: Option<Rc<Unknown>>,
    #[serde(with = "nowhere")]
    counted: usize,
}

#[derive(Record)]
struct Near {
    north: Option<i8>,
}

#[derive(Record)]
struct Far {
    south: Option<char>,
    #[serde(flatten)]
    farther: Farther,
}

#[derive(Record)]
struct Farther {
    west: Option<String>,
}

#[derive(Record)]
struct Unknown {
    up: bool,
}

#[derive(Record)]
struct Empty {}

#[test]
fn fields_have_the_values_of_their_types_under_their_names_in_json() {
    let everything = Everything {
        species: Species::GuineaPig,
        r#type: Some(Species::Cat),
        chip: Some(Chip(Uuid::from_u128(7))),
        weight_kg: Measured { value: 0.5 },
        legs: 4_u8,
        height: 0.25,
        calm: true,
        born_on: date(2024, 2, 29),
        seen: Some(Timestamp::UNIX_EPOCH),
        nickname: "Mr. P.",
        name: Cow::Borrowed("Percy"),
        address: Ipv4Addr::LOCALHOST,
        tags: Tags(Vec::new()),
        secret: "x".to_owned(),
    };
    for (field, expected) in [
        ("kind", Value::from("guinea-pig")),
        ("type", "cat".into()),
        ("chip", Uuid::from_u128(7).into()),
        ("weightKg", 0.5.into()),
        ("legs", 4.into()),
        ("height", 0.25.into()),
        ("calm", true.into()),
        ("bornOn", date(2024, 2, 29).into()),
        ("seen", Timestamp::UNIX_EPOCH.into()),
        ("nickname", "Mr. P.".into()),
        ("name", "Percy".into()),
        ("address", "127.0.0.1".into()),
        ("tags", Value::Null),
        ("secret", Value::Null),
        ("species", Value::Null),
        ("weight_kg", Value::Null),
        ("", Value::Null),
    ] {
        assert_eq!(everything.value(field), expected, "{field}");
        let has = !["tags", "secret", "species", "weight_kg", ""].contains(&field);
        assert_eq!(Everything::<u8>::has_field(field), has, "{field}");
    }
    // As serde writes them.
    let json = serde_json::to_value(&everything).unwrap();
    for field in ["kind", "type", "nickname", "name", "address"] {
        assert_eq!(json[field], everything.value(field).as_text().unwrap(), "{field}");
    }
    assert_eq!(everything.tags.0.len() + everything.secret.len(), 1);
    assert_eq!(Species::Unheard.to_value(), Value::Null);
}

#[test]
fn flattened_records_add_their_fields() {
    let farther = Farther { west: Some("w".to_owned()) };
    let far = Box::new(Far { south: Some('s'), farther });
    let mut whole = Whole { id: u64::MAX, near: Near { north: None }, far, unknown: None, counted: 3 };
    assert_eq!(whole.value("up"), Value::Null);
    whole.unknown = Some(Rc::new(Unknown { up: true }));
    for (field, expected) in [
        ("id", Value::from(u64::MAX)),
        ("north", Value::Null),
        ("south", "s".into()),
        ("west", "w".into()),
        ("counted", 3.into()),
        ("up", true.into()),
        ("near", Value::Null),
        ("east", Value::Null),
    ] {
        assert_eq!(whole.value(field), expected, "{field}");
        assert_eq!(Whole::has_field(field), !["near", "east"].contains(&field), "{field}");
    }
    assert!(!Empty::has_field("id"));
    assert_eq!(Empty {}.value("id"), Value::Null);
}
