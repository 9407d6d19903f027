//! Memory, SQLite and PostgreSQL respond alike to random requests with scopes, row policies and field permissions.
//!
//! Status, headers and body are compared byte for byte. `RESTWRIGHT_REQUESTS` is the number of requests of the compared caller
//! (100; the gate sets it to 1,000).

use super::database::DatabaseKind;
use super::store::CountingStore;
use super::{endpoints, memory};

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |number| number.parse().unwrap())
}

/// Returns the first difference between two lists of responses.
fn difference(store: &str, expected: &[String], responses: &[String]) {
    for (number, (expected, response)) in expected.iter().zip(responses).enumerate() {
        assert_eq!(expected, response, "{store}, response {number}");
    }
    assert_eq!(expected.len(), responses.len(), "{store}");
}

#[tokio::test]
async fn all_stores_respond_alike() {
    let seed = number("RESTWRIGHT_SEED", 20_261_125) as u64;
    let requests = number("RESTWRIGHT_REQUESTS", 100);
    println!("seed {seed}");
    let expected = memory::responses::responses(memory::counting_store::CountingStore::default, seed, requests).await;
    for (name, kind) in [("SQLite", DatabaseKind::Sqlite), ("PostgreSQL", DatabaseKind::Postgres)] {
        let responses = endpoints::responses::responses(|| CountingStore::on(kind), seed, requests).await;
        difference(name, &expected, &responses);
    }
    println!("{} responses of each store are alike", expected.len());
}
