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
use restwright_runtime::core::{Problem, Result};
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

/// Stores files in a folder of the file system, which it creates with the first file. Several processes may share the
/// folder.
///
/// A file is written and synchronised before its upload is acknowledged. Do not serve the folder with
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
