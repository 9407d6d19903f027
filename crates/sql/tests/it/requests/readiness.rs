//! The readiness of a store under load.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_resource::{Endpoints, Store};
use restwright_sql::SqlStatements;
use serde::{Deserialize, Serialize};

use crate::databases::PostgresSchema;

/// A note with a searchable text.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/notes", search(text))]
struct Note {
    #[property(id)]
    id: i64,
    text: String,
}

#[tokio::test]
async fn a_store_whose_connections_are_all_in_use_is_ready() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let wait = Duration::from_mins(2);
    let store = schema.store().migrate().connections(NonZeroU32::new(2).unwrap()).wait(wait);
    let notes = Endpoints::<Note>::new(store.clone(), Access::public());
    let api = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap();
    api.start().await.unwrap();
    let mut transactions = Vec::new();
    for _ in 0..2 {
        let mut transaction = store.begin().await.unwrap();
        transaction.fetch(&sea_query::Query::select().expr(sea_query::Expr::val(1)).to_owned()).await.unwrap();
        transactions.push(transaction);
    }
    // The components are checked once per second.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let begun = Instant::now();
    let states = api.readiness().states().await;
    let stores: Vec<_> = states.components().iter().skip(1).map(|state| (state.name(), state.is_ready())).collect();
    assert_eq!(stores, [("PostgreSQL", true), ("PostgreSQL writes", true)]);
    assert!(begun.elapsed() < wait / 2, "a probe waits for a connection: {:?}", begun.elapsed());
    drop(transactions);
    api.stop().await;
    schema.drop().await;
}
