//! Defines [`UploadedFile`], a file of a form that was received completely.

use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use http::HeaderValue;
use restwright_runtime::core::schema::{HasSize, Registry, Schema, SchemaObject, SchemaType};
use serde::{Deserialize, Deserializer};
use tokio::task::spawn_blocking;

use super::deserialize_file;
use super::safe_name::safe_name;
use crate::counted::ALLOCATION;
use crate::file_pieces::{FilePieces, SharedFile};
use crate::file_response::FileResponse;
use crate::media_type::UNKNOWN;
use crate::signature::START;

/// A file of a form, `multipart/form-data`.
///
/// A file of up to 64 KiB is in memory, and the files of a form use at most 1 MiB of memory together. All others of the form
/// are in one temporary file without a name. The system deletes it when the last of them is dropped, even if the process is
/// killed. A property of this type has the constraints `max_size`,
/// `accept` and `check_content`.
///
/// ```
/// use restwright_files::UploadedFile;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct NewPhoto {
///     title: String,
///     photo: UploadedFile,
/// }
///
/// async fn store(form: NewPhoto) -> std::io::Result<()> {
///     form.photo.save("photos/7.png").await
/// }
/// ```
#[derive(Clone)]
pub struct UploadedFile(Arc<UploadData>);

struct UploadData {
    name: Option<String>,
    content_type: Option<String>,
    size: u64,
    content: UploadContent,
}

#[derive(Clone)]
pub(super) enum UploadContent {
    Memory(Bytes),
    /// The temporary file of the form, and the position at which this file starts.
    File(SharedFile, u64),
}

impl UploadContent {
    /// Returns the first bytes of a file of `size` bytes, which decide about the media type.
    pub(super) async fn start(&self, size: u64) -> io::Result<Bytes> {
        self.read(size.min(u64::try_from(START).unwrap_or(u64::MAX))).await
    }

    /// Returns the first `size` bytes.
    async fn read(&self, size: u64) -> io::Result<Bytes> {
        match self {
            Self::Memory(bytes) => Ok(bytes.slice(..bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX)))),
            Self::File(file, start) => {
                let (file, start) = (file.clone(), *start);
                let read = move |file: &mut File| {
                    let mut bytes = Vec::new();
                    file.take(size).read_to_end(&mut bytes).map(|_| Bytes::from(bytes))
                };
                spawn_blocking(move || file.at(start, read)).await.map_err(io::Error::other)?
            }
        }
    }
}

impl UploadedFile {
    pub(super) fn new(name: Option<String>, content_type: Option<String>, size: u64, content: UploadContent) -> Self {
        Self(Arc::new(UploadData { name, content_type, size, content }))
    }

    /// Returns a file in place of a file that was reported as a violation. No handler receives it.
    pub(super) fn rejected() -> Self {
        Self::new(None, None, 0, UploadContent::Memory(Bytes::new()))
    }

    /// Returns the number of bytes of the content in memory. The content of a temporary file is not in memory.
    pub(super) fn content_memory(&self) -> usize {
        match &self.0.content {
            UploadContent::Memory(bytes) => bytes.len(),
            UploadContent::File(..) => 0,
        }
    }

    /// Returns the number of bytes that the file uses in memory, with its names.
    pub(super) fn memory(&self) -> usize {
        let strings = [&self.0.name, &self.0.content_type].into_iter().flatten();
        let strings: usize = strings.map(|string| string.capacity() + ALLOCATION).sum();
        size_of::<UploadData>() + ALLOCATION + strings + self.content_memory()
    }

    /// Returns the name of the file on the client, without folders. Control characters are removed. Returns `None` if
    /// nothing is left.
    ///
    /// Use it to show the name or in `Content-Disposition`. Do not store files under it, because several clients can send the same
    /// name.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        self.0.name.as_deref().and_then(safe_name)
    }

    /// Returns the media type that the client declared. The content can be something else, unless the property has
    /// `check_content`: then it is the media type of the content. Returns `None` if the client declared nothing.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.0.content_type.as_deref()
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Reads the whole file into memory.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub async fn bytes(&self) -> io::Result<Bytes> {
        self.0.content.read(self.0.size).await
    }

    /// Returns the file in pieces, for example to send it to an object store.
    pub fn pieces(&self) -> impl Stream<Item = Result<Bytes, Box<dyn Error>>> + 'static {
        match &self.0.content {
            UploadContent::Memory(bytes) => Pieces::Memory(Some(bytes.clone())),
            UploadContent::File(file, start) => {
                Pieces::File(FilePieces::new(file.clone(), *start..start.saturating_add(self.0.size)))
            }
        }
    }

    /// Writes the file to a path. An existing file is replaced. The path must not contain the name of the client.
    ///
    /// # Errors
    /// The path cannot be written.
    pub async fn save(&self, path: impl Into<PathBuf>) -> io::Result<()> {
        let (content, size, path) = (self.0.content.clone(), self.0.size, path.into());
        let write = move || match content {
            UploadContent::Memory(bytes) => fs::write(path, bytes),
            UploadContent::File(file, start) => {
                let mut target = File::create(path)?;
                file.at(start, |file| io::copy(&mut file.take(size), &mut target))?;
                target.flush()
            }
        };
        spawn_blocking(write).await.map_err(io::Error::other)?
    }
}

/// Sends the file back as an attachment, with its name and its declared media type.
impl From<UploadedFile> for FileResponse {
    fn from(file: UploadedFile) -> Self {
        let response = match &file.0.content {
            UploadContent::Memory(bytes) => Self::from_bytes(bytes.clone()),
            UploadContent::File(shared, start) => {
                let (shared, start) = (shared.clone(), *start);
                Self::from_reader(file.0.size, move |range| {
                    FilePieces::new(shared, start.saturating_add(range.start)..start.saturating_add(range.end))
                })
            }
        };
        let media_type = file.content_type().and_then(|text| HeaderValue::from_str(text).ok()).unwrap_or(UNKNOWN);
        response.content_type(media_type).attachment(&file.file_name().unwrap_or_default())
    }
}

/// The pieces of an uploaded file.
enum Pieces {
    Memory(Option<Bytes>),
    File(FilePieces),
}

impl Stream for Pieces {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.get_mut() {
            Self::Memory(bytes) => Poll::Ready(bytes.take().map(Ok)),
            Self::File(pieces) => Pin::new(pieces).poll_next(context),
        }
    }
}

impl<'de> Deserialize<'de> for UploadedFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_file(deserializer)
    }
}

impl Schema for UploadedFile {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::file().schema_type().clone()
    }
}

impl HasSize for UploadedFile {}

impl fmt::Debug for UploadedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("UploadedFile").field("size", &self.0.size).finish_non_exhaustive()
    }
}
