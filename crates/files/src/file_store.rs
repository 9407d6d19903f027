//! Defines [`FileStore`], which stores the files of resources.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use futures_core::Stream;
use restwright_runtime::core::runtime::{BoxFuture, LocalBoxFuture};
use restwright_runtime::core::{ComponentError, Result};

use crate::file_content::FileContent;
use crate::file_response::FileResponse;

/// Stores files under keys. [`FolderStore`](crate::FolderStore) stores them in a folder. The guide about stored files
/// has an implementation for object stores.
///
/// A key consists of segments of ASCII letters, digits, `.`, `_` and `-` with `/` between them, such as
/// `animals/photo/7.9f0c2d`. It has at most 250 characters. Each key is used for one file only, which never changes.
pub trait FileStore: Send + Sync + 'static {
    /// Checks that files can be stored. It is called at the start of the Api, and the start fails with its error.
    ///
    /// # Errors
    /// Any error, such as a folder that cannot be written. The default has none.
    fn start(&self) -> impl Future<Output = Result<(), ComponentError>> + Send {
        async { Ok(()) }
    }

    /// Stores a file. After it returns, the file survives a crash of the process.
    ///
    /// If it fails or its future is dropped, the caller deletes the key.
    ///
    /// # Errors
    /// The errors of [`FileContent::next`]. Any problem if the file cannot be stored.
    fn put(&self, key: &str, content: &mut FileContent) -> impl Future<Output = Result<()>>;

    /// Opens a file, for a response. Returns `None` if there is no file with this key.
    ///
    /// The caller sets the media type, the entity tag and the disposition of the response.
    ///
    /// # Errors
    /// Any problem if the file cannot be read.
    fn open(&self, key: &str) -> impl Future<Output = Result<Option<FileResponse>>>;

    /// Deletes a file. Succeeds if there is no file with this key.
    ///
    /// # Errors
    /// Any problem if the file cannot be deleted.
    fn delete(&self, key: &str) -> impl Future<Output = Result<()>> + Send;

    /// Lists the files whose keys begin with `folder` and a `/`, in any order. Files that were not stored completely may be
    /// in the list.
    fn list(&self, folder: &str) -> ListedFiles;
}

/// A list of stored files. Returned by [`FileStore::list`].
pub type ListedFiles = Pin<Box<dyn Stream<Item = Result<ListedFile>> + Send>>;

/// A file in a list of stored files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// The key of the file.
    pub key: String,
    /// The time of the last write to the file.
    pub modified: SystemTime,
}

/// A [`FileStore`] of any type.
#[derive(Clone)]
pub struct SharedFileStore(Arc<dyn ErasedFileStore>);

/// A [`FileStore`] as a trait object.
trait ErasedFileStore: Send + Sync {
    fn start(&self) -> BoxFuture<'_, Result<(), ComponentError>>;
    fn put<'s>(&'s self, key: &'s str, content: &'s mut FileContent) -> LocalBoxFuture<'s, Result<()>>;
    fn open<'s>(&'s self, key: &'s str) -> LocalBoxFuture<'s, Result<Option<FileResponse>>>;
    fn delete<'s>(&'s self, key: &'s str) -> BoxFuture<'s, Result<()>>;
    fn list(&self, folder: &str) -> ListedFiles;
}

impl<T: FileStore> ErasedFileStore for T {
    fn start(&self) -> BoxFuture<'_, Result<(), ComponentError>> {
        Box::pin(FileStore::start(self))
    }

    fn put<'s>(&'s self, key: &'s str, content: &'s mut FileContent) -> LocalBoxFuture<'s, Result<()>> {
        Box::pin(FileStore::put(self, key, content))
    }

    fn open<'s>(&'s self, key: &'s str) -> LocalBoxFuture<'s, Result<Option<FileResponse>>> {
        Box::pin(FileStore::open(self, key))
    }

    fn delete<'s>(&'s self, key: &'s str) -> BoxFuture<'s, Result<()>> {
        Box::pin(FileStore::delete(self, key))
    }

    fn list(&self, folder: &str) -> ListedFiles {
        FileStore::list(self, folder)
    }
}

impl SharedFileStore {
    /// Hides the type of a store.
    pub fn new(store: impl FileStore) -> Self {
        Self(Arc::new(store))
    }
}

impl FileStore for SharedFileStore {
    async fn start(&self) -> Result<(), ComponentError> {
        self.0.start().await
    }

    async fn put(&self, key: &str, content: &mut FileContent) -> Result<()> {
        self.0.put(key, content).await
    }

    async fn open(&self, key: &str) -> Result<Option<FileResponse>> {
        self.0.open(key).await
    }

    async fn delete(&self, key: &str) -> Result<()> {
        self.0.delete(key).await
    }

    fn list(&self, folder: &str) -> ListedFiles {
        self.0.list(folder)
    }
}

impl fmt::Debug for SharedFileStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SharedFileStore")
    }
}
