//! Defines [`log_panics`].

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;

use restwright_runtime::core::runtime::log;

/// Writes each panic as an `ERROR` line to the log, instead of as text to the standard error output. The line contains
/// the message, the file, the line number and the thread, and a backtrace if `RUST_BACKTRACE` is set.
///
/// Call it in `main` after the `tracing` subscriber is installed. `telemetry::init` of the feature `opentelemetry` calls
/// it. Without a subscriber, panics are written as before.
///
/// ```no_run
/// tracing_subscriber::fmt().init();
/// restwright_production::log_panics();
/// ```
pub fn log_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        if !tracing::dispatcher::has_been_set() {
            return before(panicked);
        }
        let location = panicked.location();
        let thread = std::thread::current();
        let backtrace = Backtrace::capture();
        let has_backtrace = backtrace.status() == BacktraceStatus::Captured;
        log(|| {
            tracing::error!(
                file = location.map(panic::Location::file),
                line = location.map(panic::Location::line),
                thread = thread.name(),
                backtrace = has_backtrace.then(|| tracing::field::display(&backtrace)),
                "panic: {}",
                message(panicked.payload())
            );
        });
    }));
}

fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a value that is not a text")
}
