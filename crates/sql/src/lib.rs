//! Stores resources in SQLite and PostgreSQL.
//!
//! To keep a resource in a database, replace its `MemoryStore` with a [`SqlStore`]. Its URL selects the database.
//!
//! [`SqlIdempotency`] stores the responses of idempotency keys in the same database. [`TableMapping`] maps a resource to an existing table.
//!
//! The features `sqlite` and `postgres` select the databases. Without either of them, the crate is empty.

#![cfg(any(feature = "postgres", feature = "sqlite"))]
#![cfg_attr(
    not(all(feature = "idempotency", feature = "postgres", feature = "sqlite")),
    allow(dead_code, unused_imports, unused_variables, reason = "some code serves only the other database, or keys")
)]

mod connections;
mod dialect;
mod driver;
#[cfg(feature = "idempotency")]
mod idempotency;
mod operations;
mod reads;
mod schema;
mod settings;
mod sql_statements;
mod statements;
mod store;
mod table;
mod transactions;
mod value;
mod wanted;
mod writes;

pub use driver::{Database, SqlRow};
#[cfg(feature = "idempotency")]
pub use idempotency::SqlIdempotency;
pub use settings::StorePart;
pub use sql_statements::SqlStatements;
pub use store::SqlStore;
pub use table::TableMapping;
