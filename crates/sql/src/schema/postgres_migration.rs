//! Migrates PostgreSQL in steps, so processes of the earlier version can read and write during the migration.

use std::time::Duration;

use restwright_core::ComponentError;
use restwright_core::runtime::log;
use restwright_list::ValueType;
use sea_query::Value as SqlValue;
use tokio::time::sleep;

use super::difference::{Difference, NewIndex, Repair};
use super::migration::{Began, ChangeError, Opening, begin, changes, log_change, run_all};
use super::postgres_sessions::{Observer, migrating_session};
use crate::connections::{Patience, Pooled};
use crate::driver::{Cell, Connection, Database, DriverError, FailureKind};
use crate::store::Shared;

/// The key of the advisory lock for migrations, which is `restwrig` in ASCII.
pub(super) const LOCK: i64 = 0x7265_7374_7772_6967;

/// The time between two attempts to get the lock for migrations.
const POLL: Duration = Duration::from_millis(100);

/// The size of a table in bytes from which its indexes are created with `CONCURRENTLY`. A plain `CREATE INDEX` blocks the writes of a smaller
/// table for less time than a step waits for a lock.
const LARGE: i64 = 16 * 1024 * 1024;

/// The statements that set the limits of a session for a migration. Statements of other sessions wait behind a step for up to `lock_timeout`. The
/// server ends the session of a lost machine after `idle_session_timeout`, which exists from PostgreSQL 14 on.
const LIMITS: &str = "SET statement_timeout = 0; SET lock_timeout = '1s'; \
                      SELECT set_config(name, '60s', FALSE) FROM pg_settings WHERE name = 'idle_session_timeout'";

/// Begins a migration in one transaction, with the same limits.
const BEGIN: &str = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '1s'";

/// Adds the missing tables, columns and indexes.
pub(super) async fn migrate(shared: &Shared) -> Result<(), ComponentError> {
    // A pooler gives each transaction another session, so neither the lock of a session nor `CONCURRENTLY` works. The steps close their
    // connection, and a server with one connection may not accept the next one at once.
    let is_single = shared.settings.is_pooled || shared.connections.is_single();
    if is_single { in_one_transaction(shared).await } else { in_steps(shared).await }
}

async fn in_one_transaction(shared: &Shared) -> Result<(), ComponentError> {
    let mut transaction = begin_locked(shared).await?;
    let mut observer = Observer::new(&Opening::new(shared).pool()?, &mut transaction.connection()).await?;
    let mut patience = Patience::new(shared.settings.start_wait);
    loop {
        let ran = observer.observe(run_all(shared, &mut transaction.connection())).await;
        let Err(error) = ran else { return Ok(transaction.commit().await?) };
        transaction.rollback().await?;
        retry(error, &observer, &mut patience).await?;
        transaction = begin_locked(shared).await?;
        observer.follow(&mut transaction.connection()).await?;
    }
}

/// Begins a transaction that holds the lock for migrations.
async fn begin_locked(shared: &Shared) -> Result<Began, ComponentError> {
    let mut wait = MigrationWait::new(shared);
    loop {
        let mut transaction = begin(shared, BEGIN).await?;
        if try_lock(&mut transaction.connection(), "SELECT pg_try_advisory_xact_lock($1)").await? {
            return Ok(transaction);
        }
        let other = migrating_session(&mut transaction.connection()).await?;
        transaction.rollback().await?;
        wait.pause(other).await?;
    }
}

async fn in_steps(shared: &Shared) -> Result<(), ComponentError> {
    let mut session = Session::open(shared).await?;
    let changes = session.changes(shared).await?;
    // A crash between two renames could leave an index with a name that another index needs.
    let (renames, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.repair == Repair::Rename);
    for change in Difference::joined(renames).into_iter().chain(others) {
        log_change(Database::Postgres, &change);
        session.step(&change, shared.settings.start_wait).await?;
    }
    Ok(session.pooled.close().await?)
}

/// A session that holds the lock for migrations. The server releases the lock when the connection closes.
struct Session {
    pooled: Pooled,
    observer: Observer,
}

impl Session {
    /// Opens a connection and waits for the lock. The connection has no transaction during the wait, because `CREATE INDEX CONCURRENTLY` of another
    /// process would wait for the transaction.
    async fn open(shared: &Shared) -> Result<Self, ComponentError> {
        let mut opening = Opening::new(shared);
        let (pool, mut pooled) = loop {
            let pool = opening.pool()?;
            match pool.acquire().await {
                Ok(pooled) => break (pool, pooled),
                Err(error) => opening.failed(&pool, error).await?,
            }
        };
        // The lock and the limits must not return to a pool of the application.
        pooled.close_on_drop();
        let mut connection = pooled.connection();
        connection.run(LIMITS.into()).await?;
        let mut wait = MigrationWait::new(shared);
        while !try_lock(&mut connection, "SELECT pg_try_advisory_lock($1)").await? {
            let other = migrating_session(&mut connection).await?;
            wait.pause(other).await?;
        }
        let observer = Observer::new(&pool, &mut connection).await?;
        Ok(Self { pooled, observer })
    }

    /// Returns the changes of the migration in the order of their steps. No step has run if a difference needs a person.
    async fn changes(&mut self, shared: &Shared) -> Result<Vec<Difference>, ComponentError> {
        let mut patience = Patience::new(shared.settings.start_wait);
        loop {
            let mut connection = self.pooled.connection();
            connection.run("BEGIN".into()).await?;
            let changes = self.observer.observe(changes(shared, &mut connection)).await;
            connection.run("ROLLBACK".into()).await?;
            match changes {
                Ok(changes) => return Ok(changes),
                Err(error) => retry(error, &self.observer, &mut patience).await?,
            }
        }
    }

    /// Runs one change of the migration. Tries again while other sessions hold the locks that it needs.
    async fn step(&mut self, change: &Difference, limit: Duration) -> Result<(), ComponentError> {
        self.observer.begin_step();
        let mut patience = Patience::new(limit);
        loop {
            match self.attempt(change, limit).await {
                Ok(()) => return Ok(()),
                Err(error) => retry(ChangeError::new(change, error).into(), &self.observer, &mut patience).await?,
            }
        }
    }

    async fn attempt(&mut self, change: &Difference, limit: Duration) -> Result<(), DriverError> {
        let Self { pooled, observer } = self;
        let connection = &mut pooled.connection();
        if let Some(index) = &change.index
            && observer.observe(is_large(connection, index)).await?
        {
            let (index_name, table) = (&index.name, &index.table);
            log(|| {
                tracing::info!(
                    database = Database::Postgres.name(),
                    "creating the index `{index_name}` of {table} with `CONCURRENTLY`"
                )
            });
            observer.observe(connection.run(drop_invalid(index).into())).await?;
            return observer.observe(create_concurrently(connection, index, limit)).await;
        }
        // Several statements in one message are one transaction.
        observer.observe(connection.run(change.sql.as_str().into())).await
    }
}

async fn try_lock(connection: &mut Connection<'_>, sql: &'static str) -> Result<bool, DriverError> {
    is_true(connection, sql, vec![LOCK.into()]).await
}

/// Runs a query with one Boolean and returns it.
async fn is_true(
    connection: &mut Connection<'_>,
    sql: &'static str,
    values: Vec<SqlValue>,
) -> Result<bool, DriverError> {
    let rows = connection.fetch(sql.into(), values, false).await?;
    Ok(matches!(rows.first().map(|row| row.cell(0, ValueType::Boolean)).transpose()?, Some(Cell::Boolean(true))))
}

/// The wait for the migration of another process.
struct MigrationWait {
    patience: Patience,
    is_logged: bool,
}

impl MigrationWait {
    fn new(shared: &Shared) -> Self {
        Self { patience: Patience::new(shared.settings.start_wait), is_logged: false }
    }

    /// Waits before the next attempt to get the lock. Fails if the session of the other process has held it for too long.
    async fn pause(&mut self, other: Option<String>) -> Result<(), ComponentError> {
        // The other process may have ended.
        let Some(session) = other else { return Ok(()) };
        let limit = self.patience.limit();
        if self.patience.elapsed() > limit {
            return Err(format!(
                "another process has migrated the PostgreSQL database for more than {limit:?}: {session}; wait for its end, or end the session \
                 with `pg_terminate_backend`"
            )
            .into());
        }
        if !self.is_logged {
            self.is_logged = true;
            log(|| {
                tracing::info!(
                    database = Database::Postgres.name(),
                    session,
                    "the start waits for the migration of another process"
                )
            });
        }
        sleep(POLL).await;
        Ok(())
    }
}

/// Waits after a failed attempt. Returns the error if another attempt cannot succeed, or if the limit is over.
async fn retry(error: ComponentError, observer: &Observer, patience: &mut Patience) -> Result<(), ComponentError> {
    let cause = match error.downcast_ref::<ChangeError>() {
        Some(change) => Some(&change.source),
        None => error.downcast_ref::<DriverError>(),
    };
    // A lock that was not granted in time, or a deadlock.
    if cause.is_none_or(|cause| Database::Postgres.failure(cause) != FailureKind::Conflict) {
        return Err(error);
    }
    if patience.pause().await {
        return Ok(());
    }
    let (limit, sessions) = (patience.limit(), observer.blocking());
    Err(format!(
        "the migration waited {limit:?} for locks of other sessions: {sessions}; end them, for example with `pg_terminate_backend`, or start again \
         when they have ended; {error}"
    )
    .into())
}

/// Returns `true` if a plain `CREATE INDEX` would block writes for too long. `CONCURRENTLY` does not work on partitioned tables.
async fn is_large(connection: &mut Connection<'_>, index: &NewIndex) -> Result<bool, DriverError> {
    let sql = "SELECT coalesce((SELECT relkind = 'r' AND pg_relation_size(oid) >= $2 FROM pg_class WHERE oid = to_regclass($1)), FALSE)";
    is_true(connection, sql, vec![index.table.as_str().into(), LARGE.into()]).await
}

/// Returns SQL that drops an index whose creation did not finish. If another session is creating it, the lock waits for this session.
fn drop_invalid(NewIndex { qualified, table, .. }: &NewIndex) -> String {
    let name = qualified.replace('\'', "''");
    format!(
        "DO $drop$ BEGIN \
         IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('{name}') AND NOT indisvalid) THEN \
         LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE; \
         IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('{name}') AND NOT indisvalid) THEN DROP INDEX {qualified}; END IF; \
         END IF; END $drop$"
    )
}

/// Creates an index while other sessions write to its table.
async fn create_concurrently(
    connection: &mut Connection<'_>,
    index: &NewIndex,
    limit: Duration,
) -> Result<(), DriverError> {
    // The statement waits for the transactions that began before it, and blocks nothing while it waits.
    let limit = limit.as_millis().max(1);
    connection.run(format!("SET lock_timeout = '{limit}ms'").into()).await?;
    // Another session may have created the index before this one had the lock.
    let sql = index.sql.replacen("INDEX ", "INDEX CONCURRENTLY IF NOT EXISTS ", 1);
    let created = connection.run(sql.into()).await;
    connection.run("SET lock_timeout = '1s'".into()).await?;
    if created.is_err() {
        // An invalid unique index would still reject rows. If this fails, the next attempt drops the index.
        drop(connection.run(drop_invalid(index).into()).await);
    }
    created
}
