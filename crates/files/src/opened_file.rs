//! Defines [`OpenedFile`], a file that is ready to be sent.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use http::HeaderValue;
use restwright_runtime::core::Problem;
use restwright_runtime::core::problem::catalogue;

use crate::media_type::media_type;
use crate::validators::Validators;

/// An open file with the properties that its response needs. It can be sent between threads.
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    pub(crate) length: u64,
    pub(crate) media_type: HeaderValue,
    pub(crate) validators: Validators,
}

impl OpenedFile {
    /// Opens a file on the current thread.
    ///
    /// # Errors
    /// There is no regular file at the path, or it cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would wait for its other end.
        if !fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let length = metadata.len();
        let of_time = |modified| Validators::of_file(modified, length, SystemTime::now());
        let validators = metadata.modified().map(of_time).unwrap_or_default();
        Ok(Self { file, length, media_type: media_type(path), validators })
    }

    /// Makes this the stored form of another file in a content coding.
    pub(crate) fn coded(mut self, coding: &str, media_type: HeaderValue) -> Self {
        self.media_type = media_type;
        self.validators.tag = self.validators.tag.map(|tag| tag.with_coding(coding));
        self
    }
}

/// Returns the problem for a file that cannot be opened.
pub(crate) fn problem(error: io::Error) -> Problem {
    use io::ErrorKind::{InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound};
    match error.kind() {
        NotFound | NotADirectory | IsADirectory | InvalidInput | InvalidFilename => Problem::new(catalogue::NOT_FOUND),
        _ if is_loop(&error) => Problem::new(catalogue::NOT_FOUND),
        _ => Problem::internal(error),
    }
}

/// Returns `true` if a symbolic link leads to itself. The kind of this error is not stable in the standard library.
#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    use rustix::io::Errno;
    Errno::from_io_error(error) == Some(Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}
