//! The server, and the thread on which it is asked.

use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Client, RedisError, RedisResult};
use restwright_core::ComponentError;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::connection::{Connection, Deadline};

/// A Redis server. It is asked on a thread of its own, so that the limits of one worker do not depend on another that is
/// busy.
pub(super) struct Server {
    client: Result<Client, String>,
    driver: OnceLock<Driver>,
}

/// The thread, which ends when this is dropped.
struct Driver {
    runtime: Handle,
    connection: Arc<Connection>,
    _running: oneshot::Sender<()>,
}

impl Server {
    pub(super) fn new(url: &str) -> Self {
        Self { client: Client::open(url).map_err(|error| mistake(url, &error)), driver: OnceLock::new() }
    }

    /// The client; an error when there is none for the URL.
    pub(super) fn client(&self) -> Result<&Client, &str> {
        self.client.as_ref().map_err(String::as_str)
    }

    /// Asks the server something and waits for the answer so long at most; it may be asked twice.
    pub(super) async fn ask<T, F>(
        &self,
        bound: Duration,
        question: impl Fn(MultiplexedConnection) -> F + Send + Sync + 'static,
    ) -> Result<T, ComponentError>
    where
        T: Send + 'static,
        F: Future<Output = RedisResult<T>> + Send + 'static,
    {
        // Before the thread comes to it, which all requests wait for.
        let deadline = Deadline::after(bound);
        let driver = self.driver()?;
        let connection = driver.connection.clone();
        driver.runtime.spawn(async move { connection.ask(deadline, question).await }).await?
    }

    /// The thread, which begins with the first question.
    fn driver(&self) -> Result<&Driver, ComponentError> {
        match self.driver.get() {
            Some(driver) => Ok(driver),
            None => {
                let driver = Driver::start(self.client()?.clone())?;
                Ok(self.driver.get_or_init(|| driver))
            }
        }
    }
}

/// What is wrong with a URL, which is not repeated, since it may have a password.
fn mistake(url: &str, error: &RedisError) -> String {
    let tls = url.split_once("://").is_some_and(|(scheme, _)| ["rediss", "valkeys"].contains(&scheme));
    if tls && !cfg!(feature = "redis-tls") {
        return "it asks for TLS, which needs the feature `redis-tls`; enable that, or write `redis://` where the network is trusted".to_owned();
    }
    let scheme = if tls { "rediss" } else { "redis" };
    format!("{error}; write it as `{scheme}://user:password@host:6379/0`")
}

impl Driver {
    fn start(client: Client) -> io::Result<Self> {
        let (running, ended) = oneshot::channel::<()>();
        let (started, handle) = mpsc::sync_channel(1);
        thread::Builder::new().name("restwright-limits".to_owned()).spawn(move || {
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(started.send(Err(error))),
            };
            // Whoever waits for the handle is still there, and nothing is ever sent but the end.
            drop(started.send(Ok(runtime.handle().clone())));
            drop(runtime.block_on(ended));
        })?;
        let runtime = handle.recv().map_err(io::Error::other)??;
        Ok(Self { runtime, connection: Arc::new(Connection::new(client)), _running: running })
    }
}
