//! Writes generated files, or checks that existing files are up to date.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::difference::difference;

/// The result of writing or checking a generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileStatus {
    /// The file was written.
    Written(PathBuf),
    /// The file was already up to date.
    Current(PathBuf),
    /// The file does not exist and is not needed, because nothing is declared at run time.
    NotNeeded(PathBuf),
}

impl fmt::Display for FileStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(file) => write!(formatter, "{}: written", file.display()),
            Self::Current(file) => write!(formatter, "{}: current", file.display()),
            Self::NotNeeded(file) => {
                write!(formatter, "{}: not needed, because nothing is declared at run time", file.display())
            }
        }
    }
}

/// An error from writing or checking a generated file.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read or written.
    File {
        /// The path of the file.
        file: PathBuf,
        /// The error that the operating system returned.
        source: std::io::Error,
    },
    /// The file does not exist.
    Missing {
        /// The path of the file.
        file: PathBuf,
    },
    /// The file is out of date, because it differs from the declarations of the application.
    Differs {
        /// The path of the file.
        file: PathBuf,
        /// The difference between the file and the generated content, in the unified format.
        difference: String,
    },
    /// The file does not contain exactly one pair of markers around the generated block.
    Markers {
        /// The path of the file.
        file: PathBuf,
        /// The reason why the markers are invalid, and how to fix them.
        reason: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, source } => write!(formatter, "{}: {source}", file.display()),
            Self::Missing { file } => {
                write!(formatter, "{}: missing; run the same command without --check to write it", file.display())
            }
            Self::Differs { file, difference } => write!(
                formatter,
                "{}: outdated; run the same command without --check to update it\n\n{difference}",
                file.display()
            ),
            Self::Markers { file, reason } => write!(formatter, "{}: {reason}", file.display()),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Missing { .. } | Self::Differs { .. } | Self::Markers { .. } => None,
        }
    }
}

/// A function that computes the expected content of a file from its current content. It returns `None` if the file is
/// not needed.
type ExpectedContent<'e> = dyn Fn(Option<&str>) -> Result<Option<String>, String> + 'e;

/// Writes the generated content to a file, unless the file is up to date.
pub(crate) fn write(file: PathBuf, expected: &ExpectedContent<'_>) -> Result<FileStatus, FileError> {
    let found = read(&file)?;
    match expected_text(&file, expected, found.as_deref())? {
        None => Ok(FileStatus::NotNeeded(file)),
        Some(expected) if found.is_some_and(|found| found == expected) => Ok(FileStatus::Current(file)),
        Some(expected) => {
            std::fs::write(&file, expected).map_err(|source| FileError::File { file: file.clone(), source })?;
            Ok(FileStatus::Written(file))
        }
    }
}

/// Checks that a file contains the generated content.
pub(crate) fn check(file: PathBuf, expected: &ExpectedContent<'_>) -> Result<FileStatus, FileError> {
    let found = read(&file)?;
    match (expected_text(&file, expected, found.as_deref())?, found) {
        (None, _) => Ok(FileStatus::NotNeeded(file)),
        (Some(_), None) => Err(FileError::Missing { file }),
        (Some(expected), Some(found)) if found == expected => Ok(FileStatus::Current(file)),
        (Some(expected), Some(found)) => Err(FileError::Differs { difference: difference(&found, &expected), file }),
    }
}

fn expected_text(
    file: &Path,
    expected: &ExpectedContent<'_>,
    found: Option<&str>,
) -> Result<Option<String>, FileError> {
    expected(found).map_err(|reason| FileError::Markers { file: file.to_owned(), reason })
}

fn read(file: &Path) -> Result<Option<String>, FileError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::File { file: file.to_owned(), source }),
    }
}
