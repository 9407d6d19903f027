//! Defines [`UnusableKey`], a key that a key set leaves out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use restwright_core::runtime::log;

/// The maximum length of each string, in characters. The strings may quote the set, which may be long.
const LONGEST: usize = 200;

/// A key that a key set leaves out. Clones are logged only once together.
#[derive(Debug, Clone)]
pub(super) struct UnusableKey {
    pub(super) id: Option<String>,
    /// The member `alg` or `kty` of the key.
    algorithm: String,
    pub(super) reason: String,
    is_logged: Arc<AtomicBool>,
}

impl UnusableKey {
    pub(super) fn new((id, algorithm): (Option<String>, Option<String>), reason: &str) -> Self {
        let short = |text: &str| text.chars().take(LONGEST).collect();
        let algorithm = algorithm.as_deref().map(short).unwrap_or_default();
        Self { id, algorithm, reason: short(reason), is_logged: Arc::default() }
    }

    /// Logs that a token needs this key. Only the first call logs a line.
    pub(super) fn log_once(&self) {
        if self.is_logged.swap(true, Ordering::Relaxed) {
            return;
        }
        let (algorithm, reason) = (&self.algorithm, &self.reason);
        let id: String = self.id.iter().flat_map(|id| id.chars()).take(LONGEST).collect();
        log(|| tracing::warn!(kid = id, algorithm, reason, "tokens are rejected because their key cannot be used"));
    }
}
