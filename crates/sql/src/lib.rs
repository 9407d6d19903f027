//! Stores of resources on SQLite and PostgreSQL.

#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod any_row;
mod cell;
mod component;
mod condition;
mod connections;
mod deferred;
mod dialect;
mod digest;
mod failure;
mod failure_kind;
#[cfg(feature = "idempotency")]
mod idempotency;
mod json_fields;
mod lease;
mod locked;
mod mapping;
mod operand;
mod own_pool;
mod reading;
mod rows;
mod schema;
mod select;
mod settings;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod sql_store;
mod statements;
mod store;
mod table;
mod transaction;
mod value;

#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use any_row::SqlRow;
pub use dialect::Dialect;
#[cfg(feature = "postgres")]
pub use dialect::Postgres;
#[cfg(feature = "sqlite")]
pub use dialect::Sqlite;
#[cfg(feature = "idempotency")]
pub use idempotency::{KeyDatabase, SqlClaim, SqlIdempotency};
pub use mapping::TableMapping;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use sql_store::{AnyTransaction, SqlStore};
pub use store::DatabaseStore;
pub use transaction::SqlTransaction;

/// A store on SQLite.
#[cfg(feature = "sqlite")]
pub type SqliteStore = DatabaseStore<Sqlite>;

/// A store on PostgreSQL, and on databases that speak its protocol.
#[cfg(feature = "postgres")]
pub type PostgresStore = DatabaseStore<Postgres>;
