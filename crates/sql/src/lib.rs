//! Stores of resources on SQLite and PostgreSQL.
//!
//! A resource is kept in a database by another line: [`SqliteStore`] or [`PostgresStore`] in place of a `MemoryStore`, or [`SqlStore`], which is
//! either by its URL. All are a [`DatabaseStore`], whose methods are their settings. Its entities derive serde's `Deserialize` beside
//! `Serialize`.
//!
//! [`SqlIdempotency`] keeps the responses of idempotency keys in the same database, and [`TableMapping`] names tables that exist already.

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
mod part;
mod per_transaction;
mod reading;
mod rejections;
mod replica;
mod rows;
mod schema;
mod select;
mod settings;
mod slow;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod sql_store;
mod statements;
mod store;
mod table;
mod transaction;
mod value;
mod worker_pool;

#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use any_row::SqlRow;
pub use dialect::Dialect;
#[cfg(feature = "postgres")]
pub use dialect::Postgres;
#[cfg(feature = "sqlite")]
pub use dialect::Sqlite;
#[cfg(feature = "idempotency")]
pub use idempotency::SqlIdempotency;
pub use mapping::TableMapping;
pub use part::StorePart;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub use sql_store::{AnyTransaction, SqlStore};
pub use store::DatabaseStore;
pub use transaction::SqlTransaction;

/// A store on SQLite, in a file such as `sqlite://animals.db` or in memory, `sqlite::memory:`.
///
/// The file has a write-ahead log, and a write is on the disk before its response (`synchronous = FULL`). Writes wait for the one writer, in a
/// bounded queue; readers wait for nobody. Hooks get a [`SqliteConnection`](sqlx::SqliteConnection).
///
/// ```
/// use restwright_sql::SqliteStore;
///
/// let store = SqliteStore::new("sqlite://animals.db").migrate();
/// ```
#[cfg(feature = "sqlite")]
pub type SqliteStore = DatabaseStore<Sqlite>;

/// A store on PostgreSQL. The guide on scaling out lists what is known of databases with the same protocol.
///
/// Each worker has connections of its own. Transactions are `REPEATABLE READ`, and one that conflicts with another runs again. Hooks get a
/// [`PgConnection`](sqlx::PgConnection).
///
/// ```
/// use restwright_sql::PostgresStore;
///
/// let store = PostgresStore::new("postgres://shelter@localhost/shelter").migrate();
/// ```
#[cfg(feature = "postgres")]
pub type PostgresStore = DatabaseStore<Postgres>;
