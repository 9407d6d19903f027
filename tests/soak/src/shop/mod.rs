//! The application of the scenarios: orders with an outbox, counters, and a ledger whose entries build on each other.
//!
//! | request | what it does |
//! |---|---|
//! | `POST /orders` | creates an order and, in the same transaction, its entry in the outbox; takes an `Idempotency-Key` |
//! | `POST /counters`, `PATCH /counters/{id}` | a counter, and a change of its name, which adds 1 to its `count` |
//! | `POST /entries` | an entry with the `number` and the `total` after the last one |
//! | `GET /limited` | 10 requests an hour, over all processes |

pub mod by_hand;
pub mod restwright;

/// Statements and waits for a connection take no longer.
pub const STATEMENT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(2);

/// Serves the application until the process ends.
pub fn serve(kind: &str, database: &str) {
    match kind {
        "by-hand" => by_hand::serve(database),
        "restwright" => restwright::serve(database),
        "restwright-serializable" => restwright::serve_serializable(database),
        _ => panic!("no server of the shop is called {kind}: by-hand, restwright, restwright-serializable"),
    }
}
