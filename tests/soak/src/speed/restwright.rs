//! Animals and places as resources of restwright.

use jiff::Timestamp;
use restwright::Host;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{Resource, Store};
use restwright::sql::SqlStore;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::pages::Place;
use crate::process;

#[derive(Clone, Deserialize, Serialize, Resource)]
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

/// Serves the existing table of animals.
pub fn serve(url: &str) {
    serve_over::<Animal>(SqlStore::new(url));
}

/// Serves places in a table that the server creates.
pub fn serve_places(url: &str) {
    serve_over::<Place>(SqlStore::new(url).migrate());
}

fn serve_over<R: Resource>(store: impl Store) {
    let listener = process::listen();
    let builder = Api::builder(Configuration::new("speed", "1.0.0")).resource::<R>(store, Access::public());
    let api = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
    let host = Host::new(api).workers(1).listen(listener).expect("a bound socket");
    restwright::run(host.serve()).expect("the server runs");
}
