//! The stores of each database.

#[cfg(feature = "postgres")]
use crate::dialect::Postgres;
#[cfg(feature = "sqlite")]
use crate::dialect::Sqlite;
use crate::store::DatabaseStore;

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
