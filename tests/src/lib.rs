//! Helpers of the integration tests in `it/`.

use std::path::{Path, PathBuf};

/// The top folder of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
