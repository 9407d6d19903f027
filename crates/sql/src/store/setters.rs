//! The settings of a [`SqlStore`].

use std::num::NonZeroU32;
use std::time::Duration;

use restwright_core::auth::Identity;

use super::SqlStore;
use crate::settings::{CallerParameters, StorePart};
use crate::table::TableMapping;

impl SqlStore {
    /// Creates missing tables, columns and indexes when the Api starts. Without this setting, the start fails if the tables differ from the
    /// definitions, and the error lists each difference.
    ///
    /// Several processes may start together, because one of them migrates while the others wait.
    ///
    /// On PostgreSQL, each change is a separate transaction, and waits up to a second for the locks of other sessions before it tries again. The
    /// earlier version of the service can read and write during the migration. On SQLite and with
    /// `SqlStore::transaction_pooler`, the migration is one transaction.
    ///
    /// ```
    /// use restwright_sql::SqlStore;
    ///
    /// let store = SqlStore::new("postgres://shelter@localhost/shelter").migrate();
    /// ```
    #[must_use]
    pub fn migrate(self) -> Self {
        self.set(|plan| plan.settings.migrates = true)
    }

    /// Sets the maximum time that a start waits for other sessions of the database, 10 minutes by default. After this time, the start fails.
    ///
    /// A start waits for the migration of another process, and for the locks that a change of the migration needs. On PostgreSQL, it also waits
    /// while the server accepts no further connections (SQLSTATE 53300). Each of these waits may last this long. The log contains a warning during
    /// a wait. The first connection of a store from [`from_postgres_pool`](Self::from_postgres_pool) waits only as long as [`wait`](Self::wait).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use restwright_sql::SqlStore;
    ///
    /// let store = SqlStore::new("postgres://shelter@localhost/shelter").migrate().start_wait(Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn start_wait(self, wait: Duration) -> Self {
        self.set(|plan| plan.settings.start_wait = wait)
    }

    /// Maps a resource to an existing table.
    #[must_use]
    pub fn table(self, mapping: TableMapping) -> Self {
        self.set(|plan| plan.mappings.push(mapping))
    }

    /// Sets the maximum time that a statement waits for a connection, 2 seconds by default. After this time, the response is a 503.
    ///
    /// If opening a PostgreSQL connection takes longer, it continues in the background for up to 10 seconds, and the connection serves later
    /// requests. The start waits up to 10 seconds for its first connection.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        self.set(|plan| plan.settings.wait = wait)
    }

    /// Sets the maximum duration of one statement, 5 seconds by default. A slower statement is cancelled, and the response is a 503.
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {
        self.set(|plan| plan.settings.statement_timeout = limit)
    }

    /// Sets the maximum number of connections, 4 by default. On PostgreSQL, each worker has up to this many connections. On SQLite, all
    /// readers share them, in addition to one connection for writes.
    ///
    /// Lists and their totals use at most three quarters of the connections, and at least one. Slow lists then leave the others to views and
    /// writes. The lists of one entity definition leave one of these connections to other lists. Further lists wait as long as other statements.
    #[must_use]
    pub fn connections(self, number: NonZeroU32) -> Self {
        self.set(|plan| plan.settings.connections = number.get())
    }

    /// Sets the maximum number of statements that wait for a connection, 256 by default. Further statements fail immediately with a 503.
    #[must_use]
    pub fn queue(self, number: usize) -> Self {
        self.set(|plan| plan.settings.queue = number)
    }

    /// Sets the URL of a replica that serves [stale](restwright_resource::Endpoints::stale_lists) lists. All other statements, and all reads within a
    /// transaction, use the primary.
    ///
    /// While the replica fails, the primary serves these lists. The metric `store_replica_fallbacks` counts them. The service stays ready, unless
    /// [`requires`](Self::requires) includes [`StorePart::Replica`]. Building the Api fails if the replica is another kind of database.
    #[must_use]
    pub fn read_from(self, url: impl Into<String>) -> Self {
        self.set(|plan| plan.replica = Some(url.into()))
    }

    /// Sets the parts of the store that must work for the service to be ready. The default is [`StorePart::Reads`] and
    /// [`StorePart::Writes`].
    ///
    /// `/readyz?verbose` reports every part.
    #[must_use]
    pub fn requires(self, parts: impl IntoIterator<Item = StorePart>) -> Self {
        let parts = parts.into_iter().collect();
        self.set(|plan| plan.settings.required = parts)
    }

    /// Sets the isolation level of transactions on PostgreSQL to `SERIALIZABLE` instead of `REPEATABLE READ`. Transactions then behave as if they
    /// ran one after another, but the store retries more of them. Transactions on SQLite are always serializable.
    #[must_use]
    pub fn serializable(self) -> Self {
        self.set(|plan| plan.settings.is_serializable = true)
    }

    /// Sets caller-dependent PostgreSQL parameters in each transaction, like `SET LOCAL`. Row-level security policies read them with
    /// `current_setting`. The guide on databases has an example.
    ///
    /// Every statement of a request then runs in a transaction that starts with these parameters. A statement without a caller fails. Outside of
    /// endpoints, use the store that [`Store::for_caller`](restwright_resource::Store::for_caller) returns. Building the Api fails on SQLite, which has no
    /// parameters.
    ///
    /// ```
    /// use restwright_sql::SqlStore;
    ///
    /// let store = SqlStore::new("postgres://shelter@localhost/shelter")
    ///     .per_transaction(|caller| [("app.user_id", caller.subject().unwrap_or_default().to_owned())]);
    /// ```
    #[must_use]
    pub fn per_transaction<P>(self, parameters: impl Fn(&Identity) -> P + Send + Sync + 'static) -> Self
    where
        P: IntoIterator<Item = (&'static str, String)>,
    {
        let parameters = CallerParameters::new(parameters);
        self.set(|plan| plan.settings.caller_parameters = Some(parameters))
    }

    /// Adapts the store to a transaction pooler, such as PgBouncer with `pool_mode = transaction`. The store then uses no prepared
    /// statements. It runs every statement in a transaction, and sets the time limits in each transaction. This has no effect on SQLite.
    #[must_use]
    pub fn transaction_pooler(self) -> Self {
        self.set(|plan| plan.settings.is_pooled = plan.settings.dialect.has_parameters)
    }

    /// Runs all reads of SQLite on threads for blocking work. By default, a worker tries a short read itself: a view, a check of a reference, or a
    /// page without a total. It has its own connection for them.
    ///
    /// A worker gives a statement up after 5,000 steps of SQLite's virtual machine, which take about 0.1 ms, at 64 KiB in a value, at 256 KiB in a result, and
    /// when another connection has a lock. A thread then runs it, and also its next 100 runs. A page that is not in the cache of the operating system
    /// is read from the disk, and requests of the same worker wait for it. On a slow disk or a network file system, use this setting.
    ///
    /// It has no effect on PostgreSQL, and on a database in memory, whose reads always run on threads.
    #[must_use]
    pub fn reads_on_threads(self) -> Self {
        self.set(|plan| plan.settings.reads_inline = false)
    }

    /// Sets the duration after which a statement is logged as slow, 1 second by default. `Duration::MAX` disables the log.
    ///
    /// The warning contains the entity, the operation and the time. For reads, it also contains the plan of the statement from `EXPLAIN`, without
    /// string values. For each entity, operation and statement, the log contains the first slow run, and then one per minute with their number. Reads
    /// with the same filters and order are the same statement. After 20 statements of an entity and an operation, all others count as one.
    #[must_use]
    pub fn slow_statements(self, after: Duration) -> Self {
        self.set(|plan| plan.settings.slow_after = after)
    }
}
