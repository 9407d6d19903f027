//! The application of the scenarios: orders with an outbox, counters, and a ledger whose entries build on each other.
//!
//! | request | effect |
//! |---|---|
//! | `POST /orders` | creates an order and, in the same transaction, its entry in the outbox; accepts an `Idempotency-Key` |
//! | `GET /orders` | in restwright, shows the orders of the caller, and their cost to a caller with the scope `costs` |
//! | `POST /counters`, `PATCH /counters/{id}` | creates a counter; changes its name and adds 1 to its `count` |
//! | `POST /entries` | creates an entry with the next `number` and the next `total` |
//! | `GET /limited` | accepts 10 requests an hour over all processes |

pub mod by_hand;
pub mod restwright;

/// The time limit of statements and of waits for a connection.
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
