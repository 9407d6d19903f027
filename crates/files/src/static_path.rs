//! Finds the file of a folder that a path of a request names.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the file inside of `folder` with a path such as `css/main.css`. Segments are separated by `/`.
///
/// Symbolic links are followed if their target is inside of the folder. Names that start with a dot do not exist, in the
/// path and in the target of a link, so `.env` and `.git` are not served by accident.
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
    let is_shown = found.strip_prefix(&root).is_ok_and(|inside| !is_hidden(inside));
    if is_shown && found.is_file() { Ok(found) } else { Err(not_found()) }
}

/// Returns `true` if the name of a file or of one of its folders starts with a dot. The name of a folder may start with
/// two dots, because Kubernetes mounts the files of a ConfigMap as links into a folder such as `..data`.
fn is_hidden(path: &Path) -> bool {
    let starts_with = |name: Option<&OsStr>, dots: &str| {
        name.is_some_and(|name| name.as_encoded_bytes().starts_with(dots.as_bytes()))
    };
    let mut folders = path.ancestors().skip(1).map(Path::file_name);
    starts_with(path.file_name(), ".") || folders.any(|name| starts_with(name, ".") && !starts_with(name, ".."))
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

    #[test]
    fn names_of_targets() {
        for (path, expected) in [
            ("a.css", false),
            ("css/a.css", false),
            ("..2026_01_01/a.css", false),
            ("css/..data/a.css", false),
            (".env", true),
            ("..env", true),
            ("css/.env", true),
            (".git/config", true),
            ("..data/.git/config", true),
        ] {
            assert_eq!(is_hidden(Path::new(path)), expected, "{path}");
        }
    }
}
