//! Contains the Lua scripts that run on a Redis server.

use std::sync::LazyLock;

use redis::aio::ConnectionLike;
use redis::{Cmd, ErrorKind, RedisResult, Script, ServerErrorKind};

/// The Lua script that charges the buckets of a request.
pub(super) static CHARGE: LazyLock<ServerScript> = LazyLock::new(|| ServerScript::new(include_str!("charge.lua")));

/// The Lua script that refunds a charge to a bucket.
pub(super) static GIVE_BACK: LazyLock<ServerScript> =
    LazyLock::new(|| ServerScript::new(include_str!("give_back.lua")));

pub(super) struct ServerScript {
    text: &'static str,
    script: Script,
}

/// A call of a Lua script with its keys and arguments.
#[derive(Clone)]
pub(super) struct ScriptRun {
    script: &'static ServerScript,
    keys: Vec<String>,
    arguments: Vec<String>,
}

impl ServerScript {
    fn new(text: &'static str) -> Self {
        Self { text, script: Script::new(text) }
    }

    /// Creates a call of the script at the time `now`, in microseconds. If `now` is `None`, the script uses the
    /// server's time.
    pub(super) fn run(&'static self, now: Option<u64>) -> ScriptRun {
        let now = now.map(|now| now.to_string()).unwrap_or_default();
        ScriptRun { script: self, keys: Vec::new(), arguments: vec![now] }
    }
}

impl ScriptRun {
    /// Adds the Redis key of a bucket and its numeric arguments to the call.
    pub(super) fn bucket<const N: usize>(&mut self, name: String, numbers: [u64; N]) {
        self.keys.push(name);
        self.arguments.extend(numbers.map(|number| number.to_string()));
    }

    /// Runs the script by its hash (`EVALSHA`). If the server does not have the script, sends the script with `EVAL`.
    pub(super) async fn invoke(&self, connection: &mut impl ConnectionLike) -> RedisResult<Vec<u64>> {
        match self.command("EVALSHA", self.script.script.get_hash()).query_async(connection).await {
            Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {
                self.command("EVAL", self.script.text).query_async(connection).await
            }
            response => response,
        }
    }

    fn command(&self, name: &str, script: &str) -> Cmd {
        let mut command = redis::cmd(name);
        command.arg(script).arg(self.keys.len()).arg(&self.keys).arg(&self.arguments);
        command
    }
}
