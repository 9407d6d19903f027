//! The scripts on the server.

use std::sync::LazyLock;

use redis::aio::MultiplexedConnection;
use redis::{RedisResult, Script};

/// Charges the buckets of a request.
pub(super) static CHARGE: LazyLock<ServerScript> = LazyLock::new(|| ServerScript::new(include_str!("charge.lua")));

/// Gives back what was charged to a bucket.
pub(super) static GIVE_BACK: LazyLock<ServerScript> =
    LazyLock::new(|| ServerScript::new(include_str!("give_back.lua")));

pub(super) struct ServerScript {
    text: &'static str,
    script: Script,
}

/// One run of a script.
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

    /// A run at a time in microseconds, or at the server's.
    pub(super) fn run(&'static self, now: Option<u64>) -> ScriptRun {
        let now = now.map(|now| now.to_string()).unwrap_or_default();
        ScriptRun { script: self, keys: Vec::new(), arguments: vec![now] }
    }
}

impl ScriptRun {
    /// Adds a bucket with its numbers.
    pub(super) fn bucket<const N: usize>(&mut self, name: String, numbers: [u64; N]) {
        self.keys.push(name);
        self.arguments.extend(numbers.map(|number| number.to_string()));
    }

    /// Runs the script, which the server has kept or is sent.
    pub(super) async fn invoke(&self, connection: &mut MultiplexedConnection) -> RedisResult<Vec<u64>> {
        let mut invocation = self.script.script.prepare_invoke();
        invocation.key(&self.keys).arg(&self.arguments);
        invocation.invoke_async(connection).await
    }

    /// Runs the script on a node to which the slot of its bucket is moving.
    pub(super) async fn invoke_asking(&self, connection: &mut MultiplexedConnection) -> RedisResult<Vec<u64>> {
        let mut pipe = redis::pipe();
        pipe.cmd("ASKING").ignore().cmd("EVAL").arg(self.script.text).arg(self.keys.len());
        pipe.arg(&self.keys).arg(&self.arguments);
        let (response,) = pipe.query_async(connection).await?;
        Ok(response)
    }
}
