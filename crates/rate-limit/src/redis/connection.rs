//! Defines [`RedisConnection`], the connection to one Redis server.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionAddr, ErrorKind, RedisError, RedisResult, ServerErrorKind};
use restwright_core::ComponentError;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::outage::LONGEST_PAUSE;

/// A connection to a Redis server. It opens on first use, and reopens after a failure.
pub(super) struct RedisConnection {
    client: Client,
    attempt: Mutex<Arc<ConnectAttempt>>,
}

/// The result of one attempt to connect, which is a connection or an error. The result never changes.
type ConnectAttempt = OnceCell<RedisResult<MultiplexedConnection>>;

/// The time by which the response to a command must have arrived.
#[derive(Clone, Copy)]
pub(super) struct Deadline {
    sent: Instant,
    bound: Duration,
}

enum RedisFailure {
    Redis(RedisError),
    Late(Duration),
}

impl RedisConnection {
    pub(super) fn new(client: Client) -> Self {
        Self { client, attempt: Mutex::default() }
    }

    /// Sends a command to the server. After a failure, the next command opens a new connection, because the server may
    /// have been replaced.
    ///
    /// Servers and proxies close idle connections. If an open connection turns out to be closed, the command is sent
    /// once more over a new connection. The server may then execute the command twice.
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
            Err(RedisFailure::Redis(error)) if was_open && error.is_io_error() => {
                self.send_over(&self.attempt(), &deadline, &command).await
            }
            outcome => outcome,
        };
        outcome.map_err(|failure| match failure {
            RedisFailure::Redis(error) => self.described(&error).into(),
            RedisFailure::Late(bound) => {
                let (address, millis) = (self.client.get_connection_info().addr(), bound.as_millis());
                format!("no response from `{address}` within {millis} ms; check the address, or set a longer `RedisLimiter::timeout`").into()
            }
        })
    }

    /// Returns the message of an error, with the address of the server and what to change.
    fn described(&self, error: &RedisError) -> String {
        let advice = match error.kind() {
            _ if error.code() == Some("NOAUTH") => "; write the user and the password into the URL",
            ErrorKind::AuthenticationFailed => "; correct the user and the password of the URL",
            ErrorKind::Server(ServerErrorKind::NoPerm) => {
                "; allow the user `EVALSHA`, `EVAL` and the keys of the prefix"
            }
            _ if error.is_io_error() => "; start the server, or correct the host and the port of the URL",
            _ => "",
        };
        format!("Redis at `{}`: {error}{advice}", self.client.get_connection_info().addr())
    }

    async fn send_over<T, F>(
        &self,
        attempt: &Arc<ConnectAttempt>,
        deadline: &Deadline,
        command: &impl Fn(MultiplexedConnection) -> F,
    ) -> Result<T, RedisFailure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let connecting = connect(attempt.clone(), self.client.clone(), deadline.bound.max(LONGEST_PAUSE));
        let outcome = match timeout(deadline.left(), async { command(connecting.await?).await }).await {
            Ok(outcome) => outcome.map_err(RedisFailure::Redis),
            Err(_) => Err(RedisFailure::Late(deadline.bound)),
        };
        if outcome.is_err() {
            self.discard(attempt);
        }
        outcome
    }

    /// Returns the current attempt to connect. If the last attempt failed, starts a new attempt.
    fn attempt(&self) -> Arc<ConnectAttempt> {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        if attempt.get().is_some_and(Result::is_err) {
            *attempt = Arc::default();
        }
        attempt.clone()
    }

    /// Discards a failed attempt to connect, so the next command opens a new connection. Does nothing if the attempt is
    /// still connecting or was already replaced.
    fn discard(&self, failed: &Arc<ConnectAttempt>) {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.initialized() && Arc::ptr_eq(&attempt, failed) {
            *attempt = Arc::default();
        }
    }
}

/// Returns the connection of an attempt, and opens the connection if necessary. The task continues to connect if its
/// command times out, so a slow server can still be reached.
async fn connect(attempt: Arc<ConnectAttempt>, client: Client, bound: Duration) -> RedisResult<MultiplexedConnection> {
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

/// Installs a TLS provider if the address uses TLS and the process has no provider. The Redis client panics if several
/// providers are compiled in and none is installed.
pub(super) fn choose_tls_provider(address: &ConnectionAddr) {
    #[cfg(feature = "tls")]
    if let ConnectionAddr::TcpTls { .. } = address {
        drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    }
    #[cfg(not(feature = "tls"))]
    let _ = address;
}

impl Deadline {
    /// Creates a deadline that is the given duration from now.
    pub(super) fn after(bound: Duration) -> Self {
        Self { sent: Instant::now(), bound }
    }

    /// Returns the time that remains until the deadline.
    pub(super) fn left(&self) -> Duration {
        self.bound.saturating_sub(self.sent.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_not_reported_to_later_commands() {
        let connection = RedisConnection::new(Client::open("redis://127.0.0.1:1").unwrap());
        let slow = connection.attempt();
        assert!(Arc::ptr_eq(&connection.attempt(), &slow), "it is still connecting");
        slow.set(Err(io::Error::other("too slow").into())).ok().unwrap();
        let next = connection.attempt();
        assert!(!Arc::ptr_eq(&next, &slow));
        connection.discard(&slow);
        assert!(Arc::ptr_eq(&connection.attempt(), &next));
    }
}
