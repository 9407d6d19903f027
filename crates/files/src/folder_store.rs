//! Defines [`FolderStore`], which stores files in a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use futures_core::Stream;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::{ComponentError, Problem, Result};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::file_content::FileContent;
use crate::file_response::FileResponse;
use crate::file_store::{FileStore, ListedFile, ListedFiles};

/// The number of bytes that are written at a time.
const BLOCK: usize = 256 * 1024;

/// The number of listed files that wait for their reader.
const LISTED: usize = 64;

/// The number of folders that the first file of a resource creates.
const NEW_FOLDERS: usize = 3;

/// Stores files in a folder of the file system, which it creates at the start. Several processes may share the folder.
/// A relative path starts at the working directory of the process.
///
/// The start of the Api fails if the folder cannot be created, or if no file can be written there. A file is written and synchronised before its upload is acknowledged. Do not serve the folder with
/// [`StaticFiles`](crate::StaticFiles).
///
/// ```
/// use restwright_files::FolderStore;
///
/// let photos = FolderStore::new("/var/lib/shelter/files");
/// ```
#[derive(Debug, Clone)]
pub struct FolderStore(Arc<Path>);

impl FolderStore {
    /// Creates a store in a folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into().into())
    }

    /// Returns the path of a file.
    ///
    /// # Errors
    /// The key could be a path outside of the folder.
    fn path(&self, key: &str) -> io::Result<PathBuf> {
        let is_safe = |segment: &str| {
            !segment.is_empty()
                && !segment.starts_with('.')
                && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        if key.split('/').all(is_safe) { Ok(self.0.join(key)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

impl FileStore for FolderStore {
    async fn start(&self) -> Result<(), ComponentError> {
        let folder = Arc::clone(&self.0);
        let checked = spawn_blocking(move || check(&folder).map_err(|error| (folder, error))).await?;
        checked.map_err(|(folder, error)| {
            let from = std::env::current_dir().unwrap_or_default();
            format!(
                "no file can be stored in the folder `{}`: {error}; pass a folder that the process may write to `FolderStore::new` (a relative path starts at `{}`)",
                folder.display(),
                from.display()
            )
            .into()
        })
    }

    async fn put(&self, key: &str, content: &mut FileContent) -> Result<()> {
        let path = self.path(key).map_err(Problem::internal)?;
        let mut file = blocking({
            let path = path.clone();
            move || create(&path)
        })
        .await?;
        let mut block = BytesMut::new();
        loop {
            content.hold(block.len());
            let piece = content.next().await.transpose()?;
            let is_last = piece.is_none();
            block.extend_from_slice(&piece.unwrap_or_default());
            if block.len() < BLOCK && !is_last {
                continue;
            }
            let full = block.split();
            file = blocking(move || {
                file.write_all(&full)?;
                if is_last {
                    file.sync_all()?;
                }
                Ok(file)
            })
            .await?;
            if is_last {
                return blocking(move || sync_folder(&path)).await;
            }
        }
    }

    async fn open(&self, key: &str) -> Result<Option<FileResponse>> {
        match FileResponse::open(self.path(key).map_err(Problem::internal)?).await {
            Ok(response) => Ok(Some(response)),
            Err(problem) if problem.status() == StatusCode::NOT_FOUND => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    async fn delete(&self, key: &str) -> Result<()> {
        let path = self.path(key).map_err(Problem::internal)?;
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    fn list(&self, folder: &str) -> ListedFiles {
        let (sender, receiver) = mpsc::channel(LISTED);
        let (path, folder) = (self.path(folder), folder.to_owned());
        spawn_blocking(move || {
            let listed = path.and_then(|path| list(&path, &folder, &mut |file| sender.blocking_send(Ok(file)).is_ok()));
            if let Err(error) = listed {
                let _ = sender.blocking_send(Err(Problem::internal(error)));
            }
        });
        Box::pin(Listing(receiver))
    }
}

/// The files of a folder, which are listed on a thread for blocking work.
struct Listing(mpsc::Receiver<Result<ListedFile>>);

impl Stream for Listing {
    type Item = Result<ListedFile>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// Runs a function on a thread for blocking work.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other).and_then(|outcome| outcome).map_err(Problem::internal)
}

/// Creates the folder of a store, and writes a file there. The file has no name, so nothing is left of it.
fn check(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::tempfile_in(folder)?;
    file.write_all(b"1")?;
    folder.ancestors().take(NEW_FOLDERS).try_for_each(sync_folder)
}

/// Creates a file and the folders above it.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
                // A key has at least one folder, and the folder of the store may be new too.
                folder.ancestors().take(NEW_FOLDERS).try_for_each(sync_folder)?;
            }
            options.open(path)
        }
        opened => opened,
    }
}

/// Waits until the entry of a file in its folder is on the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    // Other systems do not open folders.
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        // The folder of a relative path of one name.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Calls `add` with each file in a folder, until it returns `false`.
fn list(path: &Path, folder: &str, add: &mut dyn FnMut(ListedFile) -> bool) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        // No file was stored.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        // Another process may delete the file while it is listed.
        let Ok(metadata) = entry.metadata() else { continue };
        let Some(name) = entry.file_name().to_str().map(str::to_owned).filter(|_| metadata.is_file()) else { continue };
        if !add(ListedFile { key: format!("{folder}/{name}"), modified: metadata.modified()? }) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_of_one_name_is_a_folder() {
        let folder = PathBuf::from(format!("folder-store-{}", std::process::id()));
        for _ in 0..2 {
            check(&folder).unwrap();
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let file = folder.join("animals/photo/7");
        fs::remove_dir(&folder).unwrap();
        create(&file).unwrap();
        sync_folder(&file).unwrap();
        assert!(file.is_file());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[tokio::test]
    async fn a_folder_that_cannot_be_written_is_an_error_of_the_start() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for path in [file.path().to_owned(), file.path().join("files"), PathBuf::from("/proc/files")] {
            let error = FolderStore::new(&path).start().await.unwrap_err().to_string();
            let expected = format!("no file can be stored in the folder `{}`: ", path.display());
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
