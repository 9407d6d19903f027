//! The settings of [`SqlStore`].

use std::num::NonZeroU32;
use std::time::Duration;

use restwright_core::auth::Identity;

use crate::databases::{PostgresStore, SqliteStore};
use crate::mapping::TableMapping;
use crate::part::StorePart;
use crate::per_transaction::CallerParameters;
use crate::sql_store::SqlStore;

impl SqlStore {
    /// Creates missing tables, columns and indexes when the Api starts, like [`DatabaseStore::migrate`](crate::DatabaseStore::migrate).
    #[must_use]
    pub fn migrate(self) -> Self {
        self.map(SqliteStore::migrate, PostgresStore::migrate)
    }

    /// Maps a resource to an existing table, like [`DatabaseStore::table`](crate::DatabaseStore::table).
    #[must_use]
    pub fn table(self, mapping: TableMapping) -> Self {
        let other = mapping.clone();
        self.map(|store| store.table(mapping), |store| store.table(other))
    }

    /// Sets the maximum wait for a connection, like [`DatabaseStore::wait`](crate::DatabaseStore::wait).
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        self.map(|store| store.wait(wait), |store| store.wait(wait))
    }

    /// Sets the maximum duration of one statement, like [`DatabaseStore::statement_timeout`](crate::DatabaseStore::statement_timeout).
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {
        self.map(|store| store.statement_timeout(limit), |store| store.statement_timeout(limit))
    }

    /// Sets the maximum number of connections, like [`DatabaseStore::connections`](crate::DatabaseStore::connections).
    #[must_use]
    pub fn connections(self, number: NonZeroU32) -> Self {
        self.map(|store| store.connections(number), |store| store.connections(number))
    }

    /// Sets the maximum number of waiting statements, like [`DatabaseStore::queue`](crate::DatabaseStore::queue).
    #[must_use]
    pub fn queue(self, number: usize) -> Self {
        self.map(|store| store.queue(number), |store| store.queue(number))
    }

    /// Sets the URL of a replica, like [`DatabaseStore::read_from`](crate::DatabaseStore::read_from). Building the Api fails if the replica is
    /// another kind of database.
    #[must_use]
    pub fn read_from(self, url: impl Into<String>) -> Self {
        let url = url.into();
        let other = url.clone();
        self.map(|store| store.read_from(url), |store| store.read_from(other))
    }

    /// Sets the parts of the store that must work for the service to be ready, like [`DatabaseStore::requires`](crate::DatabaseStore::requires).
    #[must_use]
    pub fn requires(self, parts: impl IntoIterator<Item = StorePart>) -> Self {
        let parts: Vec<_> = parts.into_iter().collect();
        let others = parts.clone();
        self.map(|store| store.requires(parts), |store| store.requires(others))
    }

    /// Sets the isolation level of transactions to `SERIALIZABLE` on PostgreSQL, like [`PostgresStore::serializable`]. Transactions on
    /// SQLite are always serializable.
    #[must_use]
    pub fn serializable(self) -> Self {
        self.map(|store| store, PostgresStore::serializable)
    }

    /// Adapts the store to a transaction pooler, like [`PostgresStore::transaction_pooler`]. This has no effect on SQLite.
    #[must_use]
    pub fn transaction_pooler(self) -> Self {
        self.map(|store| store, PostgresStore::transaction_pooler)
    }

    /// Sets caller-dependent PostgreSQL parameters in each transaction, like [`PostgresStore::per_transaction`]. Building the Api fails on SQLite.
    #[must_use]
    pub fn per_transaction<P>(self, parameters: impl Fn(&Identity) -> P + Send + Sync + 'static) -> Self
    where
        P: IntoIterator<Item = (&'static str, String)>,
    {
        let parameters = CallerParameters::new(parameters);
        let other = parameters.clone();
        self.map(|store| store.with_caller_parameters(parameters), |store| store.with_caller_parameters(other))
    }

    /// Sets the duration after which a statement is logged as slow, like [`DatabaseStore::slow_statements`](crate::DatabaseStore::slow_statements).
    #[must_use]
    pub fn slow_statements(self, after: Duration) -> Self {
        self.map(|store| store.slow_statements(after), |store| store.slow_statements(after))
    }

    /// Leaves unreadable rows out of lists, like [`DatabaseStore::skip_unreadable_rows`](crate::DatabaseStore::skip_unreadable_rows).
    #[must_use]
    pub fn skip_unreadable_rows(self) -> Self {
        self.map(SqliteStore::skip_unreadable_rows, PostgresStore::skip_unreadable_rows)
    }

    /// Sets the maximum time that a start waits for other sessions, like [`DatabaseStore::start_wait`](crate::DatabaseStore::start_wait).
    #[must_use]
    pub fn start_wait(self, wait: Duration) -> Self {
        self.map(|store| store.start_wait(wait), |store| store.start_wait(wait))
    }
}
