//! Stores resources in SQLite and PostgreSQL.
//!
//! To keep a resource in a database, replace its `MemoryStore` with a [`SqliteStore`], a [`PostgresStore`], or a [`SqlStore`], which uses either
//! database depending on its URL. Each of them is a [`DatabaseStore`] or contains one, and has its settings as methods.
//!
//! [`SqlIdempotency`] stores the responses of idempotency keys in the same database. [`TableMapping`] maps a resource to an existing table.

#![cfg_attr(
    not(all(feature = "postgres", feature = "sqlite")),
    allow(dead_code, reason = "some code serves only the other database")
)]

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod any_row;
mod cell;
mod component;
mod condition;
mod connections;
mod counts;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod databases;
mod deferred;
mod dialect;
mod digest;
mod failure;
mod failure_kind;
mod held;
#[cfg(feature = "idempotency")]
mod idempotency;
mod inserts;
mod kept_deleted;
mod lease;
mod locked;
mod mapping;
#[cfg(feature = "postgres")]
mod numeric;
mod operand;
mod operations;
mod own_database;
mod own_pool;
mod pages;
mod part;
mod patience;
mod per_key;
mod per_transaction;
mod progress;
mod reading;
mod rejections;
mod replica;
mod rows;
mod schema;
mod select;
mod set_columns;
mod settings;
mod slow;
#[cfg(feature = "sqlite")]
mod sortable_decimal;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod sql_statements;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod sql_store;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod sql_store_settings;
mod statements;
mod store;
mod stored;
mod table;
mod transaction;
mod unreadable;
mod value;
mod worker_pool;

#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use any_row::SqlRow;
#[cfg(feature = "postgres")]
pub use databases::PostgresStore;
#[cfg(feature = "sqlite")]
pub use databases::SqliteStore;
pub use dialect::Dialect;
#[cfg(feature = "postgres")]
pub use dialect::Postgres;
#[cfg(feature = "sqlite")]
pub use dialect::Sqlite;
#[cfg(feature = "idempotency")]
pub use idempotency::SqlIdempotency;
pub use mapping::TableMapping;
pub use part::StorePart;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub use sql_statements::SqlStatements;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use sql_store::SqlStore;
pub use store::DatabaseStore;
