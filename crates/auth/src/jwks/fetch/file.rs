//! Keys in a file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tokio::task::JoinHandle;

use super::Document;

/// A file that is read on a thread of its own: one on a network may hang, and reading it cannot be interrupted.
pub(super) type Reading = JoinHandle<Result<Document, String>>;

pub(super) fn begin(path: PathBuf, largest: usize) -> Reading {
    tokio::task::spawn_blocking(move || read(&path, largest))
}

fn read(path: &Path, largest: usize) -> Result<Document, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut bytes = Vec::new();
    let limit = u64::try_from(largest).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).map_err(failed)?.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > largest {
        return Err(format!("{} has more than {largest} bytes", path.display()));
    }
    Ok(Document { bytes, cache_control: None, age: None })
}
