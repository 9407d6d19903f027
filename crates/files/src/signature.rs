//! Finds the media type of a file by its first bytes.

/// The number of bytes at the start of a file that decide about its media type.
pub(crate) const START: usize = 8 * 1024;

/// Returns the media type of a file with these first bytes, or `None` if they have no known signature.
pub(crate) fn media_type_of(start: &[u8]) -> Option<&'static str> {
    let start = start.get(..START).unwrap_or(start);
    infer::get(start).map(|found| found.mime_type())
}
