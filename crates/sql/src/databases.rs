//! The store types for SQLite and PostgreSQL.

#[cfg(feature = "postgres")]
use crate::dialect::Postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::Sqlite;
use crate::store::DatabaseStore;

/// A store on SQLite. The URL names a file, such as `sqlite://animals.db`, or is `sqlite::memory:`.
///
/// The file has a write-ahead log. A write is on disk before its response (`synchronous = FULL`). Writes wait for the single writer in a bounded
/// queue, and readers never wait. Hooks receive a [`SqliteConnection`](sqlx::SqliteConnection).
///
/// ```
/// use restwright_sql::SqliteStore;
///
/// let store = SqliteStore::new("sqlite://animals.db").migrate();
/// ```
#[cfg(feature = "sqlite")]
pub type SqliteStore = DatabaseStore<Sqlite>;

/// A store on PostgreSQL or a compatible database. The guide on scaling out covers compatible databases.
///
/// Each worker has its own connections. Transactions are `REPEATABLE READ`, and run again after a conflict. Hooks receive a
/// [`PgConnection`](sqlx::PgConnection).
///
/// ```
/// use restwright_sql::PostgresStore;
///
/// let store = PostgresStore::new("postgres://shelter@localhost/shelter").migrate();
/// ```
#[cfg(feature = "postgres")]
pub type PostgresStore = DatabaseStore<Postgres>;
