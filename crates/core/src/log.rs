//! Writes to the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static LOST: AtomicU64 = AtomicU64::new(0);

/// Calls a function that writes to the log, and catches its panics. If the subscriber panics, the line is counted as
/// lost and the request continues.
///
/// A subscriber may panic: tracing-subscriber reports a failed write on stderr, and panics if writing to stderr fails
/// too.
pub fn log(write: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(write)).is_err() {
        count_lost_log_line();
    }
}

/// Counts a log line that could not be written.
pub fn count_lost_log_line() {
    LOST.fetch_add(1, Ordering::Relaxed);
}

/// Returns the number of log lines that this process could not write.
#[must_use]
pub fn lost_log_lines() -> u64 {
    LOST.load(Ordering::Relaxed)
}
