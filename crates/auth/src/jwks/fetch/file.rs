//! Keys in a file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::Document;

pub(super) fn read(path: &Path, largest: usize) -> Result<Document, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut bytes = Vec::new();
    let limit = u64::try_from(largest).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).map_err(failed)?.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > largest {
        return Err(format!("{} has more than {largest} bytes", path.display()));
    }
    Ok(Document { bytes, cache_control: None, age: None })
}
