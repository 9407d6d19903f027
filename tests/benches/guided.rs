//! Instructions of a guided read, and of serde with handwritten checks, for a nested object of 200 bytes.
//!
//! ```sh
//! cargo bench -p restwright-benches --bench guided --no-run   # prints the path of the program
//! for reads in 1000 11000; do for how in serde guided; do
//!     valgrind --tool=callgrind --callgrind-out-file=/tmp/guided.out PROGRAM $how $reads 2>&1 | grep Collected
//! done; done
//! ```
//! The difference of two runs, divided by 10,000, is what one read takes. Without arguments it prints times.

use std::hint::black_box;
use std::time::Instant;

use restwright_schema::{
    Checks, CompiledSchema, Format, PropertyCollection, Registry, Schema, SchemaObject, SchemaSide, SchemaType, typed,
};
use serde::Deserialize;

const BODY: &str = concat!(
    r#"{"name":"Rex","species":"dog","weight_kg":31.5,"tags":["good","dog"],"owner":{"name":"Ann Example","#,
    r#""email":"ann@example.com","address":{"street":"1 Long Road","city":"Springfield","zip":"12345"}}}"#
);

#[derive(Deserialize)]
struct Pet {
    name: String,
    species: Species,
    weight_kg: Option<f64>,
    tags: Vec<String>,
    owner: Owner,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Species {
    Dog,
    Cat,
}

#[derive(Deserialize)]
struct Owner {
    name: String,
    email: String,
    address: Address,
}

#[derive(Deserialize)]
struct Address {
    street: String,
    city: String,
    zip: String,
}

impl Schema for Pet {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Pet", |registry| {
            PropertyCollection::new("Pet")
                .property(typed::<String>(registry, "name").min_length(1).max_length(100))
                .property(typed::<Species>(registry, "species"))
                .property(typed::<Option<f64>>(registry, "weight_kg").exclusive_minimum(0).maximum(10_000))
                .property(
                    typed::<Vec<String>>(registry, "tags").max_items(10).items(|tag| tag.min_length(1).max_length(30)),
                )
                .property(typed::<Owner>(registry, "owner"))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("name", &self.name);
        checks.property("species", &self.species);
        checks.property("weight_kg", &self.weight_kg);
        checks.property("tags", &self.tags);
        checks.property("owner", &self.owner);
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
                .property(typed::<String>(registry, "name").min_length(1).max_length(100))
                .property(typed::<String>(registry, "email").format(Format::EMAIL))
                .property(typed::<Address>(registry, "address"))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("address", &self.address);
    }
}

impl Schema for Address {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Address", |registry| {
            PropertyCollection::new("Address")
                .property(typed::<String>(registry, "street").min_length(1).max_length(200))
                .property(typed::<String>(registry, "city").min_length(1).max_length(100))
                .property(typed::<String>(registry, "zip").pattern("^[0-9]{5}$"))
        })
    }
}

fn has_length(text: &str, min: usize, max: usize) -> bool {
    (min..=max).contains(&text.chars().count())
}

/// The same checks without a framework, on the struct that serde made.
fn by_hand(body: &[u8], zip: &regex::Regex) -> Option<Pet> {
    let pet: Pet = serde_json::from_slice(body).ok()?;
    let address = &pet.owner.address;
    let holds = has_length(&pet.name, 1, 100)
        && pet.weight_kg.is_none_or(|weight| weight > 0.0 && weight <= 10_000.0)
        && pet.tags.len() <= 10
        && pet.tags.iter().all(|tag| has_length(tag, 1, 30))
        && has_length(&pet.owner.name, 1, 100)
        && Format::EMAIL.holds(&pet.owner.email)
        && has_length(&address.street, 1, 200)
        && has_length(&address.city, 1, 100)
        && zip.is_match(&address.zip);
    holds.then_some(pet)
}

fn guided(body: &[u8], shape: &CompiledSchema) -> Option<Pet> {
    shape.read(body, 100).ok()
}

fn main() {
    let mut registry = Registry::new();
    let kind = Pet::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    let Ok(zip) = regex::Regex::new("^[0-9]{5}$") else { return };

    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let how = arguments.next();
    let reads = arguments.next().and_then(|reads| reads.parse().ok()).unwrap_or(200_000);
    let names = [("serde", 0), ("guided", 1)];
    for (name, guides) in names.into_iter().filter(|(name, _)| how.as_deref().is_none_or(|how| how == *name)) {
        let start = Instant::now();
        let mut read = 0;
        for _ in 0..reads {
            let body = black_box(BODY.as_bytes());
            let pet = if guides == 1 { guided(body, &shape) } else { by_hand(body, &zip) };
            read += usize::from(black_box(pet).is_some());
        }
        report(name, read, reads, start.elapsed() / u32::try_from(reads).unwrap_or(u32::MAX));
    }
}

#[expect(clippy::print_stdout, reason = "a bench shows what it found")]
fn report(name: &str, read: usize, reads: usize, each: std::time::Duration) {
    println!("{name}: {read} of {reads} read, {each:?} each, {} bytes", BODY.len());
}
