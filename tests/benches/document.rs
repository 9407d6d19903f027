//! The time of a document with 1,000 operations: `cargo bench -p restwright-benches --bench document`.
//!
//! It prints the fastest and the median of 50 documents of an Api with 200 resources, and the size of one.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops at the first surprise"
)]

use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::list::Operator;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::resource::{Endpoints, EntityBag, IdentifierKind, MemoryStore, ResourceDefinition};
use restwright::schema::{date_time, enumeration, int64, number, string, uuid};

const RESOURCES: usize = 200;
const DOCUMENTS: usize = 50;

fn api() -> Api {
    let mut builder = Api::builder(Configuration::new("thousand", "1.0.0"));
    for number in 0..RESOURCES {
        builder = builder.module(&endpoints(number));
    }
    builder.build().unwrap()
}

fn endpoints(number_of: usize) -> Endpoints<EntityBag> {
    let shape = PropertyCollection::new(format!("Thing{number_of}"))
        .description("A thing of the benchmark.")
        .property(uuid("id"))
        .property(string("name").min_length(1).max_length(100).description("The name of the thing."))
        .property(enumeration("state", ["open", "paid", "sent"]).default_value("open"))
        .property(number("weight").minimum(0).optional())
        .property(int64("reference").optional())
        .property(date_time("created_at"));
    let definition = ResourceDefinition::new(
        format!("/things-{number_of}"),
        format!("things_{number_of}"),
        shape,
        "id",
        IdentifierKind::Uuid,
    )
    .filter("name", [Operator::Eq, Operator::Contains])
    .sort("name");
    Endpoints::from_definition(definition, MemoryStore::new(), Access::public())
}

fn main() {
    let api = api();
    let mut times: Vec<Duration> = Vec::new();
    let mut document = String::new();
    for _ in 0..DOCUMENTS {
        let start = Instant::now();
        document = Document::from_api(&api).to_compact_json();
        times.push(start.elapsed());
    }
    times.sort();
    let operations = document.matches("\"operationId\"").count();
    println!(
        "a document of {operations} operations, {} kB: fastest {:.1} ms, median {:.1} ms",
        document.len() / 1000,
        times[0].as_secs_f64() * 1000.0,
        times[DOCUMENTS / 2].as_secs_f64() * 1000.0,
    );
}
