//! Tuples, maps with typed keys and untagged unions of Rust types.

use std::collections::{BTreeMap, HashMap};

use restwright_schema::{
    Checks, MapKey, PropertyCollection, Registry, Schema, SchemaObject, SchemaType, typed, typed_schema,
};
use serde::Deserialize;

use crate::choices::Choices;
use crate::typed_shapes::{check, object, scalar};

#[derive(Debug, PartialEq, Deserialize)]
struct Values {
    pair: (i8, Option<String>),
    sizes: BTreeMap<Size, u8>,
    floors: HashMap<i16, bool>,
    by_id: HashMap<uuid::Uuid, u8>,
    days: BTreeMap<jiff::civil::Date, u8>,
    contact: Contact,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    ExtraLarge,
}

/// Variants that serde distinguishes as the schema does.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Contact {
    Email { email: String },
    Point(f64, f64),
    Number(u32),
    Other(f64),
    Name(String),
    Absent,
}

impl Schema for Values {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Values", |registry| {
            PropertyCollection::new("Values")
                .property(typed::<(i8, Option<String>)>(registry, "pair"))
                .property(typed::<BTreeMap<Size, u8>>(registry, "sizes").max_properties(1))
                .property(typed::<HashMap<i16, bool>>(registry, "floors"))
                .property(typed::<HashMap<uuid::Uuid, u8>>(registry, "by_id"))
                .property(typed::<BTreeMap<jiff::civil::Date, u8>>(registry, "days"))
                .property(typed::<Contact>(registry, "contact"))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("contact", &self.contact);
    }
}

impl Schema for Size {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Size", |_| SchemaObject::enumeration(["small", "extra_large"]))
    }
}

impl MapKey for Size {
    fn property_name(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Small => "small".into(),
            Self::ExtraLarge => "extra_large".into(),
        }
    }
}

impl Schema for Contact {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Contact", |registry| {
            let email = PropertyCollection::new("ContactEmail").property(typed::<String>(registry, "email"));
            SchemaObject::any_of([
                SchemaObject::from(email),
                SchemaObject::tuple([typed_schema::<f64>(registry), typed_schema::<f64>(registry)]),
                typed_schema::<u32>(registry).into_schema(),
                typed_schema::<f64>(registry).into_schema(),
                typed_schema::<String>(registry).into_schema(),
                SchemaObject::any().constant(()),
            ])
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.variant::<Self>(match self {
            Self::Email { .. } => 0,
            Self::Point(..) => 1,
            Self::Number(_) => 2,
            Self::Other(_) => 3,
            Self::Name(_) => 4,
            Self::Absent => 5,
        });
    }
}

const UPPER: &str = "{\"67E55044-10B1-426F-9247-BB680E5FE0C8\":1}";

fn values(choices: &mut Choices<'_>) -> String {
    let days = ["{\"2024-02-29\":1}", "{}", "{\"2023-02-29\":1}"];
    let contacts = [
        "{\"email\":\"x\"}",
        "[1,2.5]",
        "7",
        "7.0",
        "-1",
        "1e10",
        "\"x\"",
        "null",
        "{\"email\":1}",
        "[1]",
        "true",
        "{}",
    ];
    let properties = vec![
        ("pair", scalar(choices, &["[1,\"a\"]", "[-128,null]", "[1.0,\"\"]", "[1]", "[1,\"a\",2]"])),
        (
            "sizes",
            scalar(choices, &["{}", "{\"small\":1}", "{\"extra_large\":2.0}", "{\"small\":1,\"extra_large\":1}"]),
        ),
        ("floors", scalar(choices, &["{}", "{\"0\":true,\"-7\":false}", "{\"07\":true}", "{\"a\":true}"])),
        ("by_id", scalar(choices, &["{\"67e55044-10b1-426f-9247-bb680e5fe0c8\":1}", UPPER, "{\"a\":1}"])),
        ("days", scalar(choices, &days)),
        ("contact", scalar(choices, &contacts)),
    ];
    object(choices, properties)
}

#[test]
fn tuples_keys_and_untagged_unions_read_alike() {
    check::<Values>("tuples, keys, untagged unions", values);
}
