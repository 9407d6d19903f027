//! Checks that something is quick, on machines that are sometimes slow.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// The time after which an attempt must have been quick. A machine is loaded for a shorter time.
const PATIENCE: Duration = Duration::from_secs(60);

/// Repeats an attempt until it is quicker than `limit`. The attempt returns the duration that counts.
///
/// An attempt that waits for a timer or a timeout is never quick. A loaded machine delays only some attempts.
///
/// # Panics
/// Panics if no attempt of a minute is quick.
#[track_caller]
pub fn is_quick(what: impl Display, limit: Duration, mut attempt: impl FnMut() -> Duration) {
    let began = Instant::now();
    loop {
        let took = attempt();
        if took < limit {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: {took:?}, and never less than {limit:?}");
    }
}

/// Repeats an asynchronous attempt until it is quicker than `limit`, as [`is_quick`].
///
/// # Panics
/// Panics if no attempt of a minute is quick.
pub async fn is_quick_async(what: impl Display, limit: Duration, attempt: impl AsyncFn() -> Duration) {
    let began = Instant::now();
    loop {
        let took = attempt().await;
        if took < limit {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: {took:?}, and never less than {limit:?}");
    }
}
