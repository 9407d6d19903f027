//! The client of a Redis server, on a thread of its own.

use std::sync::Arc;
use std::time::Duration;

use redis::{Client, ErrorKind, RedisError, ServerErrorKind};
use restwright_core::{Clock, ComponentError};

use super::connection::{Connection, Deadline};
use super::outage::Outage;
use super::script::ScriptRun;
use super::thread::CommandThread;

/// A Redis server.
pub(super) struct RedisServer {
    connection: Result<Arc<Connection>, String>,
    thread: CommandThread,
    pub(super) outage: Outage,
}

impl RedisServer {
    pub(super) fn new(url: &str, clock: Clock) -> Self {
        let client = Client::open(url).map_err(|error| url_error(url, &error));
        Self {
            connection: client.map(|client| Arc::new(Connection::new(client))),
            thread: CommandThread::default(),
            outage: Outage::new(clock),
        }
    }

    /// Returns the reason for which the URL is invalid.
    pub(super) fn error(&self) -> Option<&str> {
        self.connection.as_ref().err().map(String::as_str)
    }

    /// Runs a script and waits for the response for at most `bound`. It may be run twice.
    pub(super) async fn run(&self, run: ScriptRun, bound: Duration) -> Result<Vec<u64>, ComponentError> {
        // The time that the task waits for its thread counts too.
        let deadline = Deadline::after(bound);
        let connection = self.connection.clone()?;
        let run = Arc::new(run);
        let sending = async move {
            let command = move |mut connection| {
                let run = run.clone();
                async move { run.invoke(&mut connection).await.map_err(explain) }
            };
            connection.send(deadline, command).await
        };
        self.thread.runtime()?.spawn(sending).await?
    }
}

/// Says what to do about a server that is a node of a cluster.
fn explain(error: RedisError) -> RedisError {
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask | ServerErrorKind::CrossSlot) => {
            (ErrorKind::InvalidClientConfig, "the server is a node of a cluster; use `RedisLimiter::cluster`").into()
        }
        _ => error,
    }
}

/// Returns what is wrong with a URL, without repeating it, since it may contain a password.
pub(super) fn url_error(url: &str, error: &RedisError) -> String {
    let tls = url.split_once("://").is_some_and(|(scheme, _)| ["rediss", "valkeys"].contains(&scheme));
    if tls && !cfg!(feature = "tls") {
        return "TLS needs the feature `tls`; enable it, or write `redis://` if the network is trusted".to_owned();
    }
    let scheme = if tls { "rediss" } else { "redis" };
    format!("{error}; write it as `{scheme}://user:password@host:6379/0`")
}
