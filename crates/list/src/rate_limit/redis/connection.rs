//! The one connection to the server.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult};
use restwright_core::ComponentError;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::outage::LONGEST_PAUSE;

/// The connection, which is made when it is needed, and anew after a failure.
pub(super) struct Connection {
    client: Client,
    attempt: Mutex<Arc<Attempt>>,
}

/// One attempt to connect, which is made once, whatever comes of it.
type Attempt = OnceCell<RedisResult<MultiplexedConnection>>;

/// Until when an answer has to be there.
pub(super) struct Deadline {
    asked: Instant,
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

    /// Asks the server something. After a failure the next question goes over another connection, since the server at the end
    /// of this one may have been replaced. So does this question itself, once, when the connection was there before and has
    /// been closed: servers and what stands before them close connections that were idle, and are well. What the server did for
    /// the first then it may do a second time.
    pub(super) async fn ask<T, F>(
        &self,
        deadline: Deadline,
        question: impl Fn(MultiplexedConnection) -> F,
    ) -> Result<T, ComponentError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let attempt = self.attempt();
        let was_there = attempt.get().is_some_and(Result::is_ok);
        let outcome = match self.ask_over(&attempt, &deadline, &question).await {
            Err(Failure::Redis(error)) if was_there && error.is_io_error() => {
                self.ask_over(&self.attempt(), &deadline, &question).await
            }
            outcome => outcome,
        };
        outcome.map_err(|failure| match failure {
            Failure::Redis(error) => error.into(),
            Failure::Late(bound) => format!("no answer within {} ms", bound.as_millis()).into(),
        })
    }

    async fn ask_over<T, F>(
        &self,
        attempt: &Arc<Attempt>,
        deadline: &Deadline,
        question: &impl Fn(MultiplexedConnection) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let connecting = connect(attempt.clone(), self.client.clone(), deadline.bound.max(LONGEST_PAUSE));
        let outcome = match timeout(deadline.left(), async { question(connecting.await?).await }).await {
            Ok(outcome) => outcome.map_err(Failure::Redis),
            Err(_) => Err(Failure::Late(deadline.bound)),
        };
        if outcome.is_err() {
            self.give_up(attempt);
        }
        outcome
    }

    /// The attempt to go by. One that failed is for those who waited for it: what it found out may be long past.
    fn attempt(&self) -> Arc<Attempt> {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
        if attempt.get().is_some_and(Result::is_err) {
            *attempt = Arc::default();
        }
        attempt.clone()
    }

    /// Lets the next question connect anew, unless this attempt goes on still, or another took its place.
    fn give_up(&self, failed: &Arc<Attempt>) {
        let mut attempt = self.attempt.lock().unwrap_or_else(PoisonError::into_inner);
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
    #[cfg(feature = "redis-tls")]
    if let redis::ConnectionAddr::TcpTls { .. } = client.get_connection_info().addr() {
        // The client goes by that of the process, and panics where several are built and none was chosen.
        drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    }
    let connecting = tokio::spawn(async move {
        attempt.get_or_init(|| client.get_multiplexed_async_connection_with_config(&config)).await.clone()
    });
    connecting.await.map_err(io::Error::other)?
}

impl Deadline {
    /// So long from now on.
    pub(super) fn after(bound: Duration) -> Self {
        Self { asked: Instant::now(), bound }
    }

    fn left(&self) -> Duration {
        self.bound.saturating_sub(self.asked.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_is_not_told_to_who_comes_later() {
        let connection = Connection::new(Client::open("redis://127.0.0.1:1").unwrap());
        let slow = connection.attempt();
        assert!(Arc::ptr_eq(&connection.attempt(), &slow), "it goes on");
        slow.set(Err(io::Error::other("too slow").into())).ok().unwrap();
        let next = connection.attempt();
        assert!(!Arc::ptr_eq(&next, &slow));
        connection.give_up(&slow);
        assert!(Arc::ptr_eq(&connection.attempt(), &next));
    }
}
