//! Reads keys from a file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tokio::task::JoinHandle;

use super::FetchedDocument;

/// A task that reads the key file on a separate thread. A network file system may block, and the read cannot be
/// cancelled.
pub(super) type ReadTask = JoinHandle<Result<FetchedDocument, String>>;

pub(super) fn begin(path: PathBuf, max_size: usize) -> ReadTask {
    tokio::task::spawn_blocking(move || read(&path, max_size))
}

fn read(path: &Path, max_size: usize) -> Result<FetchedDocument, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut bytes = Vec::new();
    let limit = u64::try_from(max_size).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).map_err(failed)?.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > max_size {
        return Err(format!("{} has more than {max_size} bytes", path.display()));
    }
    Ok(FetchedDocument { bytes, cache_control: None, age: None })
}
