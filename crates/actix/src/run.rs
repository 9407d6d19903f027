//! A runtime for `main`.

use std::future::Future;
use std::io;
use std::time::Duration;

/// Runs a future on this thread to completion, so that `main` needs neither a runtime nor a macro.
///
/// Then it waits for at most a second for blocking work that is still running, such as that of `tokio::task::spawn_blocking`.
///
/// An application that has a runtime of tokio or actix awaits [`serve`](crate::serve) on it instead.
///
/// ```no_run
/// use restwright_actix::{run, serve};
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
///     run(async { Ok(serve(api, "127.0.0.1:8080").await?) })
/// }
/// ```
///
/// # Errors
/// The future fails, or the runtime cannot be started.
pub fn run<T, E: From<io::Error>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(future);
    // Blocking work that hangs must not keep the process from ending.
    runtime.shutdown_timeout(BLOCKING_WORK);
    outcome
}

/// How long blocking work may take beyond the future.
const BLOCKING_WORK: Duration = Duration::from_secs(1);
