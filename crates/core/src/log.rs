//! Writing to the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

static LOST: AtomicU64 = AtomicU64::new(0);

/// Writes to the log. A line that the subscriber cannot write is counted and changes nothing else.
///
/// A subscriber may panic: tracing-subscriber reports a failed write on stderr, and panics if stderr is full as well.
pub fn log(write: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(write)).is_err() {
        count_lost_log_line();
    }
}

/// Counts a line that could not be written.
pub fn count_lost_log_line() {
    LOST.fetch_add(1, Ordering::Relaxed);
}

/// Returns the number of lines of this process that no subscriber could write.
#[must_use]
pub fn lost_log_lines() -> u64 {
    LOST.load(Ordering::Relaxed)
}
