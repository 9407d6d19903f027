//! The code that `#[derive(Schema)]` generates, written manually.
//!
//! Run with `cargo run -p restwright-schema --example by_hand`.

use restwright_schema::{
    Changes, Checks, Invalid, Patch, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaSide,
    SchemaType, typed,
};
use serde::{Deserialize, Serialize};

/// An animal in the shelter.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pet {
    /// What it is called.
    name: String,
    species: Species,
    weight_kg: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
    owner: Owner,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Species {
    Dog,
    Cat,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Owner {
    name: String,
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    phone: Patch<Option<String>>,
}

/// A check of one property: `#[property(validate = not_blank)]`.
fn not_blank(name: &str) -> Result<(), &'static str> {
    if name.trim().is_empty() { Err("must not be blank") } else { Ok(()) }
}

/// A check across properties: `#[schema(validate = not_its_own_owner)]`.
fn not_its_own_owner(pet: &Pet) -> Result<(), Invalid> {
    if pet.name == pet.owner.name {
        return Err(Invalid::new("own_owner", "must not own itself").at("/owner/name"));
    }
    Ok(())
}

impl Schema for Pet {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Pet", |registry| {
            PropertyCollection::new("Pet")
                .description("An animal in the shelter.")
                .property(
                    typed::<String>(registry, "name").min_length(1).max_length(100).description("What it is called."),
                )
                .property(typed::<Species>(registry, "species"))
                .property(typed::<Option<f64>>(registry, "weight_kg").exclusive_minimum(0).maximum(10_000))
                .property(typed::<Vec<String>>(registry, "tags").max_items(10).input_optional())
                .property(typed::<Owner>(registry, "owner"))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.at("name", |checks| checks.check(not_blank(&self.name)));
        checks.property("owner", &self.owner);
        checks.check(not_its_own_owner(self));
    }
}

impl Schema for Species {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Species", |_| SchemaObject::enumeration(["dog", "cat"]))
    }
}

impl Schema for Owner {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Owner", |registry| {
            PropertyCollection::new("Owner")
                .property(typed::<String>(registry, "name").min_length(1))
                .property(typed::<Patch<Option<String>>>(registry, "phone").pattern("^[+0-9 ]+$"))
                .closed()
        })
    }
}

/// A struct with a partial update: `#[schema(changes)]`.
#[derive(Clone, Debug, PartialEq)]
struct Kennel {
    place: u8,
    note: Option<String>,
}

impl Schema for Kennel {
    type Changes = KennelChanges;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Kennel", |registry| {
            PropertyCollection::new("Kennel").property(typed::<u8>(registry, "place").minimum(1)).property(typed::<
                Option<String>,
            >(
                registry, "note",
            ))
        })
    }
}

/// A field whose type has its own partial update uses it: `Patch<<Owner as Schema>::Changes>`.
#[derive(Default, Deserialize)]
struct KennelChanges {
    #[serde(default)]
    place: Patch<u8>,
    #[serde(default)]
    note: Patch<Option<String>>,
}

impl Schema for KennelChanges {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("KennelChanges", |registry| {
            PropertyCollection::new("KennelChanges")
                .property(typed::<Patch<u8>>(registry, "place").minimum(1))
                .property(typed::<Patch<Option<String>>>(registry, "note"))
        })
    }
}

impl Changes<Kennel> for KennelChanges {
    const PARTIAL: bool = true;

    fn apply_to(self, target: &mut Kennel, checks: &mut Checks<'_>) {
        self.place.change("place", &mut target.place, checks);
        self.note.change_option("note", &mut target.note, checks);
    }

    fn create(self, checks: &mut Checks<'_>) -> Option<Kennel> {
        let place = self.place.create("place", checks);
        let note = self.note.create_option("note", checks);
        Some(Kennel { place: place?, note: note? })
    }
}

fn main() -> Result<(), ReadError> {
    let mut registry = Registry::new();
    let kind = Pet::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);

    let pet: Pet = shape
        .read(br#"{"name": "Rex", "species": "dog", "weight_kg": 30, "owner": {"name": "Ann", "phone": null}}"#, 100)?;
    assert_eq!(pet.owner.phone, Patch::Value(None));

    let violations = |json: &[u8]| match shape.read::<Pet>(json, 100) {
        Err(ReadError::Violations(violations)) => violations.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    assert_eq!(
        violations(br#"{"name": "", "species": "cow", "weight_kg": -1, "owner": {"phone": "x", "age": 7}}"#),
        [
            "/name: must have at least 1 character (min_length)",
            "/species: must be one of: dog, cat (enum)",
            "/weight_kg: must be above 0 (exclusive_minimum)",
            "/owner/phone: must match the pattern ^[+0-9 ]+$ (pattern)",
            "/owner/age: is not a known property (unknown_property)",
            "/owner/name: is required (required)",
        ]
    );
    // Custom checks run only on values that match the schema.
    assert_eq!(
        violations(br#"{"name": " ", "species": "cat", "owner": {"name": " "}}"#),
        ["/name: must not be blank (invalid)", "/owner/name: must not own itself (own_owner)"]
    );
    let schema_type = KennelChanges::schema_type(&mut registry);
    let changes =
        registry.compile(&schema_type, SchemaSide::Input, None).read::<KennelChanges>(br#"{"note": null}"#, 100)?;
    let kennel = Kennel { place: 1, note: Some("by the door".to_owned()) };
    assert_eq!(changes.apply(&kennel), Ok(Kennel { place: 1, note: None }));
    show(&registry.json_schema(&kind, SchemaSide::Input, None));
    show(&serde_json::json!(registry.components()));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example shows what it made")]
fn show(value: &serde_json::Value) {
    println!("{value:#}");
}

#[test]
fn what_is_written_by_hand_holds() {
    assert_eq!(main(), Ok(()));
}
