//! Finds the PostgreSQL sessions that a migration waits for.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, ready};
use std::time::Duration;

use restwright_core::runtime::{BoxFuture, log};
use restwright_list::ValueType;
use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::time::{sleep, timeout};

use super::postgres_migration::LOCK;
use crate::connections::Pool;
use crate::driver::{Cell, Connection, DriverError};

/// The time after which a step is observed.
const FIRST: Duration = Duration::from_millis(250);

/// The time between two log lines about one step.
const FURTHER: Duration = Duration::from_secs(10);

/// The maximum time between two observations of a step that does not wait. It is shorter than the time that a step waits for a lock.
const IDLE: Duration = Duration::from_millis(500);

/// The maximum time that an observation takes.
const LIMIT: Duration = Duration::from_secs(5);

/// An SQL expression that describes the session `a` with the pid `b.pid`.
macro_rules! session {
    () => {
        "string_agg(DISTINCT CASE WHEN b.pid = 0 THEN 'a prepared transaction (see pg_prepared_xacts)' ELSE format('pid %s (%s, %s, for %s s)', \
         b.pid, coalesce(nullif(a.application_name, ''), 'no application_name'), coalesce(a.state, 'unknown state'), \
         coalesce(extract(epoch FROM clock_timestamp() - coalesce(a.xact_start, a.state_change, a.backend_start))::bigint::text, '?')) END, ', ')"
    };
}

/// Observes the session of a migration from another connection.
pub(super) struct Observer {
    options: Arc<PgConnectOptions>,
    pid: i64,
    /// The connection of the last observation.
    idle: Mutex<Option<PgConnection>>,
    /// The connection that is being opened. It may take longer than one attempt of a step, so later attempts continue.
    opening: Mutex<Option<BoxFuture<'static, Result<PgConnection, DriverError>>>>,
    /// The sessions that blocked the current step most recently.
    blocking: Mutex<Option<String>>,
}

impl Observer {
    pub(super) async fn new(pool: &Pool, connection: &mut Connection<'_>) -> Result<Self, DriverError> {
        let options = match pool {
            Pool::Postgres(pool) => pool.connect_options(),
            #[cfg(feature = "sqlite")]
            Pool::Sqlite(_) => return Err(DriverError::Other("the pool must be on PostgreSQL".to_owned())),
        };
        let pid = pid(connection).await?;
        Ok(Self { options, pid, idle: Mutex::default(), opening: Mutex::default(), blocking: Mutex::default() })
    }

    /// Observes another connection of the same migration.
    pub(super) async fn follow(&mut self, connection: &mut Connection<'_>) -> Result<(), DriverError> {
        self.pid = pid(connection).await?;
        Ok(())
    }

    /// Forgets the sessions that blocked earlier steps.
    pub(super) fn begin_step(&self) {
        *lock(&self.blocking) = None;
    }

    /// Runs an attempt of a step. Logs the sessions that block it.
    pub(super) async fn observe<T>(&self, attempt: impl Future<Output = T>) -> T {
        tokio::select! {
            done = attempt => done,
            never = self.watch() => match never {},
        }
    }

    /// Returns the sessions that blocked the current step, for an error.
    pub(super) fn blocking(&self) -> String {
        lock(&self.blocking).clone().unwrap_or_else(|| "unknown sessions".to_owned())
    }

    async fn watch(&self) -> Infallible {
        let mut pause = FIRST;
        loop {
            sleep(pause).await;
            let observed = timeout(LIMIT, Box::pin(self.blocked_by())).await;
            // The step may wait soon, and a server without a free connection may have one soon.
            pause = (pause * 2).min(IDLE);
            if let Ok(Ok(Some(sessions))) = observed {
                pause = FURTHER;
                log(|| {
                    tracing::warn!(database = "PostgreSQL", sessions, "the migration waits for locks of other sessions")
                });
                *lock(&self.blocking) = Some(sessions);
            }
        }
    }

    /// Returns the sessions that block the migration now, or `None` if it does not wait.
    async fn blocked_by(&self) -> Result<Option<String>, DriverError> {
        // An observation that is dropped leaves its connection in the middle of a statement, so it returns no connection.
        let idle = lock(&self.idle).take();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.open().await?,
        };
        let sql = concat!(
            "SELECT ",
            session!(),
            " FROM unnest(pg_blocking_pids($1::integer)) AS b(pid) LEFT JOIN pg_stat_activity a ON a.pid = b.pid"
        );
        let sessions = sessions(&mut Connection::Postgres(&mut connection), sql, self.pid).await?;
        *lock(&self.idle) = Some(connection);
        Ok(sessions)
    }

    /// Opens a connection. If the future is dropped, the next call continues.
    async fn open(&self) -> Result<PgConnection, DriverError> {
        poll_fn(|context| {
            let mut opening = lock(&self.opening);
            let connecting = opening.get_or_insert_with(|| {
                let options = Arc::clone(&self.options);
                Box::pin(async move { Ok(options.connect().await?) })
            });
            let opened = ready!(connecting.as_mut().poll(context));
            *opening = None;
            Poll::Ready(opened)
        })
        .await
    }
}

async fn pid(connection: &mut Connection<'_>) -> Result<i64, DriverError> {
    let rows = connection.fetch("SELECT pg_backend_pid()".into(), Vec::new(), false).await?;
    match rows.first().map(|row| row.cell(0, ValueType::Integer)).transpose()? {
        Some(Cell::Integer(pid)) => Ok(pid),
        _ => Err(DriverError::Other("the server returned no process".to_owned())),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the session that holds the lock for migrations, or `None` if no session holds it.
pub(super) async fn migrating_session(connection: &mut Connection<'_>) -> Result<Option<String>, DriverError> {
    let sql = concat!(
        "SELECT ",
        session!(),
        " FROM pg_locks b LEFT JOIN pg_stat_activity a ON a.pid = b.pid WHERE b.locktype = 'advisory' AND b.objsubid = 1 AND b.granted \
         AND b.database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         AND (b.classid::bigint << 32) | b.objid::bigint = $1"
    );
    sessions(connection, sql, LOCK).await
}

/// Runs a query with one string, which describes sessions.
async fn sessions(
    connection: &mut Connection<'_>,
    sql: &'static str,
    value: i64,
) -> Result<Option<String>, DriverError> {
    let rows = connection.fetch(sql.into(), vec![value.into()], false).await?;
    match rows.first().map(|row| row.cell(0, ValueType::Text)).transpose()? {
        Some(Cell::Text(sessions)) => Ok(Some(sessions.to_owned())),
        _ => Ok(None),
    }
}
