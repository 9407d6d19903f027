//! Defines [`run`], which runs an async `main`.

use std::future::Future;
use std::io;
use std::time::Duration;

/// Runs a future to completion on the current thread. A `main` function that calls it needs no runtime and no macro.
///
/// After the future has completed, `run` waits at most one second for blocking tasks that still run, for example in
/// `tokio::task::spawn_blocking`.
///
/// In an application that already has a tokio or actix runtime, await [`serve`](crate::serve) instead.
///
/// ```no_run
/// use restwright_actix::{ServeError, run, serve};
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::Api;
///
/// fn main() -> Result<(), ServeError> {
///     let api = Api::builder(Configuration::new("animals", "1.0.0")).build()?;
///     run(serve(api, "127.0.0.1:8080"))
/// }
/// ```
///
/// # Errors
/// Returns the error of the future, or fails if the runtime cannot start.
pub fn run<T, E: From<io::Error>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message =
            format!("cannot start a tokio runtime: {error}; the process needs more file descriptors or threads");
        io::Error::new(error.kind(), message)
    })?;
    let outcome = runtime.block_on(future);
    // A blocking task that hangs must not keep the process alive.
    runtime.shutdown_timeout(BLOCKING_WORK);
    outcome
}

/// The maximum time that blocking tasks may continue to run after the future has completed.
const BLOCKING_WORK: Duration = Duration::from_secs(1);
