//! The client of a Redis server, on a thread of its own.

use std::future::{Future, pending};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Client, RedisError, RedisResult};
use restwright_core::{ComponentError, RuntimeThread};

use super::connection::{Connection, Deadline};

/// A Redis server. Commands are sent from a thread of its own, so that the limits of one worker do not depend on another that is
/// busy.
pub(super) struct RedisServer {
    client: Result<Client, String>,
    driver: OnceLock<Driver>,
}

/// The thread, which ends when this is dropped.
struct Driver {
    thread: RuntimeThread,
    connection: Arc<Connection>,
}

impl RedisServer {
    pub(super) fn new(url: &str) -> Self {
        Self { client: Client::open(url).map_err(|error| url_error(url, &error)), driver: OnceLock::new() }
    }

    /// Returns the client, or the reason for which the URL is invalid.
    pub(super) fn client(&self) -> Result<&Client, &str> {
        self.client.as_ref().map_err(String::as_str)
    }

    /// Sends a command and waits for the response for at most `bound`. The command may be sent twice.
    pub(super) async fn send<T, F>(
        &self,
        bound: Duration,
        command: impl Fn(MultiplexedConnection) -> F + Send + Sync + 'static,
    ) -> Result<T, ComponentError>
    where
        T: Send + 'static,
        F: Future<Output = RedisResult<T>> + Send + 'static,
    {
        // The time that the task waits for its thread counts too.
        let deadline = Deadline::after(bound);
        let driver = self.driver()?;
        let connection = driver.connection.clone();
        driver.thread.runtime().spawn(async move { connection.send(deadline, command).await }).await?
    }

    /// Returns the thread, which the first command starts.
    fn driver(&self) -> Result<&Driver, ComponentError> {
        match self.driver.get() {
            Some(driver) => Ok(driver),
            None => {
                let connection = Arc::new(Connection::new(self.client()?.clone()));
                let driver = Driver { thread: RuntimeThread::start("restwright-limits", pending())?, connection };
                Ok(self.driver.get_or_init(|| driver))
            }
        }
    }
}

/// Returns what is wrong with a URL, without repeating it, since it may contain a password.
fn url_error(url: &str, error: &RedisError) -> String {
    let tls = url.split_once("://").is_some_and(|(scheme, _)| ["rediss", "valkeys"].contains(&scheme));
    if tls && !cfg!(feature = "redis-tls") {
        return "TLS needs the feature `redis-tls`; enable it, or write `redis://` if the network is trusted"
            .to_owned();
    }
    let scheme = if tls { "rediss" } else { "redis" };
    format!("{error}; write it as `{scheme}://user:password@host:6379/0`")
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.thread.main().abort();
    }
}
