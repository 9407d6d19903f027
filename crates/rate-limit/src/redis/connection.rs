//! The one connection to the server.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionAddr, RedisError, RedisResult};
use restwright_core::ComponentError;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::outage::LONGEST_PAUSE;

/// The connection, which is opened when it is needed, and again after a failure.
pub(super) struct Connection {
    client: Client,
    attempt: Mutex<Arc<Attempt>>,
}

/// One attempt to connect, which is made once, whether it succeeds or fails.
type Attempt = OnceCell<RedisResult<MultiplexedConnection>>;

/// The time until which a response must arrive.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    sent: Instant,
    bound: Duration,
}

enum Failure {
    Redis(RedisError),
    Late(Duration),
}

impl Connection {
    pub(super) fn new(client: Client) -> Self {
        Self { client, attempt: Mutex::default() }
    }

    /// Sends a command. After a failure the next command uses another connection, since the server of this one may have been
    /// replaced. This command too is sent again, once, if the connection was open before and has been closed: servers and proxies
    /// close idle connections. The server may then execute the command twice.
    pub(super) async fn send<T, F>(
        &self,
        deadline: Deadline,
        command: impl Fn(MultiplexedConnection) -> F,
    ) -> Result<T, ComponentError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let attempt = self.attempt();
        let was_open = attempt.get().is_some_and(Result::is_ok);
        let outcome = match self.send_over(&attempt, &deadline, &command).await {
            Err(Failure::Redis(error)) if was_open && error.is_io_error() => {
                self.send_over(&self.attempt(), &deadline, &command).await
            }
            outcome => outcome,
        };
        outcome.map_err(|failure| match failure {
            Failure::Redis(error) => error.into(),
            Failure::Late(bound) => format!("no response within {} ms", bound.as_millis()).into(),
        })
    }

    async fn send_over<T, F>(
        &self,
        attempt: &Arc<Attempt>,
        deadline: &Deadline,
        command: &impl Fn(MultiplexedConnection) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let connecting = connect(attempt.clone(), self.client.clone(), deadline.bound.max(LONGEST_PAUSE));
        let outcome = match timeout(deadline.left(), async { command(connecting.await?).await }).await {
            Ok(outcome) => outcome.map_err(Failure::Redis),
            Err(_) => Err(Failure::Late(deadline.bound)),
        };
        if outcome.is_err() {
            self.discard(attempt);
        }
        outcome
    }

    /// Returns the current attempt, or a new one if it failed: its outcome may be outdated.
    fn attempt(&self) -> Arc<Attempt> {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        if attempt.get().is_some_and(Result::is_err) {
            *attempt = Arc::default();
        }
        attempt.clone()
    }

    /// Makes the next command open a connection, unless this attempt is still connecting or was replaced already.
    fn discard(&self, failed: &Arc<Attempt>) {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.initialized() && Arc::ptr_eq(&attempt, failed) {
            *attempt = Arc::default();
        }
    }
}

/// Returns the connection, opening it if necessary. Connecting continues if the command that began it is no longer waited for, so
/// that a server is reached even if that takes longer than a response may take.
async fn connect(attempt: Arc<Attempt>, client: Client, bound: Duration) -> RedisResult<MultiplexedConnection> {
    if let Some(connected) = attempt.get() {
        return connected.clone();
    }
    // The deadline of each command bounds its response.
    let config = AsyncConnectionConfig::new().set_connection_timeout(Some(bound)).set_response_timeout(None);
    choose_tls_provider(client.get_connection_info().addr());
    let connecting = tokio::spawn(async move {
        attempt.get_or_init(|| client.get_multiplexed_async_connection_with_config(&config)).await.clone()
    });
    connecting.await.map_err(io::Error::other)?
}

/// Chooses a TLS provider for a process that chose none, if an address needs it. The client uses the provider of the process, and panics
/// if several are compiled in and none was chosen.
pub(super) fn choose_tls_provider(address: &ConnectionAddr) {
    #[cfg(feature = "tls")]
    if let ConnectionAddr::TcpTls { .. } = address {
        drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    }
    #[cfg(not(feature = "tls"))]
    let _ = address;
}

impl Deadline {
    /// A deadline after a time from now on.
    pub(super) fn after(bound: Duration) -> Self {
        Self { sent: Instant::now(), bound }
    }

    /// Returns the time that is left.
    pub(super) fn left(&self) -> Duration {
        self.bound.saturating_sub(self.sent.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_not_reported_to_later_commands() {
        let connection = Connection::new(Client::open("redis://127.0.0.1:1").unwrap());
        let slow = connection.attempt();
        assert!(Arc::ptr_eq(&connection.attempt(), &slow), "it is still connecting");
        slow.set(Err(io::Error::other("too slow").into())).ok().unwrap();
        let next = connection.attempt();
        assert!(!Arc::ptr_eq(&next, &slow));
        connection.discard(&slow);
        assert!(Arc::ptr_eq(&connection.attempt(), &next));
    }
}
