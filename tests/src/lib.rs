//! Parts that tests of several crates share.

#![allow(clippy::panic, clippy::print_stdout, reason = "it is for tests")]

mod alone;
#[cfg(feature = "certificates")]
mod authority;
mod facade;
mod log;
mod skip;
mod timing;

use std::path::{Path, PathBuf};

pub use alone::{alone, resident};
#[cfg(feature = "certificates")]
pub use authority::Authority;
pub use log::{Log, subscribe};
pub use skip::{environment, skip};
pub use timing::{is_quick, is_quick_async};

/// Returns the top folder of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
