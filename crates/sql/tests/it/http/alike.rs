//! Memory, SQLite and PostgreSQL respond alike to random requests with scopes, row policies and field permissions.
//!
//! Status, headers and body are compared byte for byte. `RESTWRIGHT_REQUESTS` is the number of requests of the compared caller (1,000).

use super::{memory, postgres, sqlite};

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
    let requests = number("RESTWRIGHT_REQUESTS", 1_000);
    println!("seed {seed}");
    let expected = memory::responses::responses(memory::counting_store::CountingStore::default, seed, requests).await;
    difference("SQLite", &expected, &sqlite::responses::responses(Default::default, seed, requests).await);
    difference("PostgreSQL", &expected, &postgres::responses::responses(Default::default, seed, requests).await);
    println!("{} responses of each store are alike", expected.len());
}
