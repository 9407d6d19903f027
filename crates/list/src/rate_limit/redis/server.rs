//! The server, and the thread on which it is asked.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisResult};
use restwright_core::ComponentError;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{OnceCell, oneshot};
use tokio::time::timeout;

use super::outage::LONGEST_PAUSE;

/// A Redis server. It is asked on a thread of its own, so that the limits of one worker do not depend on another that is
/// busy.
pub(super) struct Server {
    client: Result<Client, String>,
    driver: OnceLock<Driver>,
}

/// The thread, which ends when this is dropped.
struct Driver {
    runtime: Handle,
    attempt: Mutex<Arc<Attempt>>,
    _running: oneshot::Sender<()>,
}

/// One attempt to connect, which is made once, whatever comes of it.
type Attempt = OnceCell<RedisResult<MultiplexedConnection>>;

impl Server {
    pub(super) fn new(url: &str) -> Self {
        // The error does not repeat the URL, which may have a password.
        Self { client: Client::open(url).map_err(|error| error.to_string()), driver: OnceLock::new() }
    }

    /// The client; an error when there is none for the URL.
    pub(super) fn client(&self) -> Result<&Client, &str> {
        self.client.as_ref().map_err(String::as_str)
    }

    /// Asks the server something and waits for the answer so long at most. After a failure the next question goes over another
    /// connection, since the server at the end of this one may have been replaced.
    pub(super) async fn ask<T, F>(
        &self,
        bound: Duration,
        question: impl FnOnce(MultiplexedConnection) -> F + Send + 'static,
    ) -> Result<T, ComponentError>
    where
        T: Send + 'static,
        F: Future<Output = RedisResult<T>> + Send + 'static,
    {
        let client = self.client()?.clone();
        let driver = self.driver()?;
        let attempt = driver.attempt().clone();
        let connecting = connect(attempt.clone(), client, bound.max(LONGEST_PAUSE));
        let asking =
            driver.runtime.spawn(async move { timeout(bound, async { question(connecting.await?).await }).await });
        let outcome = match asking.await? {
            Ok(outcome) => outcome.map_err(ComponentError::from),
            Err(_) => Err(format!("no answer within {} ms", bound.as_millis()).into()),
        };
        if outcome.is_err() {
            driver.give_up(&attempt);
        }
        outcome
    }

    /// The thread, which begins with the first question.
    fn driver(&self) -> io::Result<&Driver> {
        match self.driver.get() {
            Some(driver) => Ok(driver),
            None => {
                let driver = Driver::start()?;
                Ok(self.driver.get_or_init(|| driver))
            }
        }
    }
}

impl Driver {
    fn start() -> io::Result<Self> {
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
        Ok(Self { runtime, attempt: Mutex::default(), _running: running })
    }

    fn attempt(&self) -> MutexGuard<'_, Arc<Attempt>> {
        self.attempt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the next question connect anew, unless this attempt goes on still, or another took its place.
    fn give_up(&self, failed: &Arc<Attempt>) {
        let mut attempt = self.attempt();
        if failed.initialized() && Arc::ptr_eq(&attempt, failed) {
            *attempt = Arc::default();
        }
    }
}

/// The connection, made when it is not there. That goes on when whoever began it waits no longer, so that a server to which
/// it takes longer than one answer may take is reached in the end.
async fn connect(attempt: Arc<Attempt>, client: Client, bound: Duration) -> RedisResult<MultiplexedConnection> {
    if let Some(connected) = attempt.get() {
        return connected.clone();
    }
    // How long an answer may take is bounded where it is asked for.
    let config = AsyncConnectionConfig::new().set_connection_timeout(Some(bound)).set_response_timeout(None);
    let connecting = tokio::spawn(async move {
        attempt.get_or_init(|| client.get_multiplexed_async_connection_with_config(&config)).await.clone()
    });
    connecting.await.map_err(io::Error::other)?
}
