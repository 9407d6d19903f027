//! Defines [`RedisServer`], the client of one Redis server. The client runs on a separate thread.

use std::sync::Arc;
use std::time::Duration;

use redis::{Client, ErrorKind, RedisError, ServerErrorKind};
use restwright_core::{Clock, ComponentError};

use super::connection::{Deadline, RedisConnection};
use super::outage::RedisOutage;
use super::script::ScriptRun;
use super::thread::CommandThread;

/// A client of one Redis server, which also tracks outages of the server.
pub(super) struct RedisServer {
    connection: Result<Arc<RedisConnection>, String>,
    thread: CommandThread,
    pub(super) outage: RedisOutage,
}

impl RedisServer {
    pub(super) fn new(url: &str, clock: Clock) -> Self {
        let client = Client::open(url).map_err(|error| url_error(url, &error));
        Self {
            connection: client.map(|client| Arc::new(RedisConnection::new(client))),
            thread: CommandThread::default(),
            outage: RedisOutage::new(clock),
        }
    }

    /// Returns the reason why the URL is invalid, or `None` if it is valid.
    pub(super) fn error(&self) -> Option<&str> {
        self.connection.as_ref().err().map(String::as_str)
    }

    /// Runs a script on the server, and waits at most `bound` for the response. The script may run twice.
    pub(super) async fn run(&self, run: ScriptRun, bound: Duration) -> Result<Vec<u64>, ComponentError> {
        // The deadline includes the time until the thread runs the task.
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

/// Replaces the error of a cluster node with an error that suggests `RedisLimiter::cluster`.
fn explain(error: RedisError) -> RedisError {
    match error.kind() {
        ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::Ask | ServerErrorKind::CrossSlot) => {
            (ErrorKind::InvalidClientConfig, "the server is a cluster node; use `RedisLimiter::cluster`").into()
        }
        _ => error,
    }
}

/// Returns the error message for an invalid URL. It does not contain the URL, which may include a password.
pub(super) fn url_error(url: &str, error: &RedisError) -> String {
    let tls = url.split_once("://").is_some_and(|(scheme, _)| ["rediss", "valkeys"].contains(&scheme));
    if tls && !cfg!(feature = "tls") {
        return "TLS requires the feature `tls`; enable it, or write `redis://` if the network is trusted".to_owned();
    }
    let scheme = if tls { "rediss" } else { "redis" };
    format!("{error}; write it as `{scheme}://user:password@host:6379/0`")
}
