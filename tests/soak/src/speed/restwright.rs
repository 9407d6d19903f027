//! Animals as a resource of restwright.

use jiff::Timestamp;
use restwright::Host;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{MemoryStore, Repository};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::process;

#[derive(Clone, Serialize, Resource)]
#[resource(path = "/animals", pagination = page(default = 20, max = 100))]
pub struct Animal {
    #[property(id)]
    id: Uuid,
    #[property(min_length = 1, max_length = 100, sort)]
    name: String,
    #[property(filter(eq))]
    species: Species,
    #[property(minimum = 0.0, maximum = 10_000.0, filter(gte, lt))]
    weight_kg: Option<f64>,
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
    #[property(version)]
    version: i64,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Species {
    Bird,
    Cat,
    Dog,
}

/// To be completed once there is a store on SQL.
pub fn serve(url: &str) {
    assert!(url.starts_with("memory:"), "there is no store for {url}");
    serve_over(MemoryStore::new());
}

fn serve_over(store: impl Repository<Animal>) {
    let listener = process::listen();
    let builder = Api::builder(Configuration::new("speed", "1.0.0")).resource::<Animal>(store, Access::public());
    let api = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
    let host = Host::new(api).workers(1).listen(listener).expect("a bound socket");
    restwright::run(host.serve()).expect("the server runs");
}
