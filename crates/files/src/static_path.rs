//! Finds the file of a folder that a path of a request names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the file inside of `folder` with a path such as `css/main.css`. Segments are separated by `/`.
///
/// Symbolic links are followed if their target is inside of the folder. Names that start with a dot do not exist, so
/// `.env` and `.git` are not served by accident.
///
/// # Errors
/// The file does not exist, or the path could leave the folder.
pub(crate) fn find(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let not_found = || io::Error::from(io::ErrorKind::NotFound);
    let mut found = folder.to_owned();
    for segment in path.split('/') {
        if !is_plain(segment) {
            return Err(not_found());
        }
        found.push(segment);
    }
    // The folder is resolved too, because it may itself be a link that is replaced with each deployment.
    let (root, found) = (fs::canonicalize(folder)?, fs::canonicalize(found)?);
    if found.starts_with(&root) && found.is_file() { Ok(found) } else { Err(not_found()) }
}

/// Returns `true` if a segment is the name of a file on every system. Windows separates by `\`, and names drives and
/// streams with `:`.
fn is_plain(segment: &str) -> bool {
    !segment.is_empty()
        && !segment.starts_with('.')
        && !segment.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_segments() {
        for (segment, expected) in [
            ("a.css", true),
            ("a b", true),
            ("\u{e4}", true),
            ("a..b", true),
            ("", false),
            (".", false),
            ("..", false),
            (".env", false),
            ("a\0b", false),
            ("a\\b", false),
            ("c:", false),
            ("a/b", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(is_plain(segment), expected, "{segment:?}");
        }
    }
}
