//! Defines [`FileStream`], the last file of a form, which the handler reads in pieces.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use bytes::Bytes;
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::runtime::ReadOnce;
use restwright_runtime::core::schema::{HasSize, Registry, Schema, SchemaObject, SchemaType};
use restwright_runtime::core::{Problem, Result};
use serde::{Deserialize, Deserializer};

use super::deserialize_file;
use super::parts::{PartReader, malformed};
use super::safe_name::safe_name;
use crate::counted::KeptBytes;

/// The last file of a form, which the handler reads in pieces, so it fits neither in memory nor on the disk.
///
/// A form has at most one `FileStream`, and its part must be the last one. The fields before it are validated before the
/// handler starts. The constraints `accept` and `check_content` are checked before, and `max_size` while the file is read.
#[derive(Clone)]
pub struct FileStream(Rc<RefCell<Streamed>>);

pub(super) struct Streamed {
    pub(super) parts: PartReader,
    /// The bytes that were read to check the content. The first piece contains them.
    pub(super) start: Bytes,
    /// The bytes of `start`, and of the fields and files before this file.
    pub(super) kept: KeptBytes,
    pub(super) name: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) max_size: Option<u64>,
    pub(super) size: u64,
    pub(super) once: ReadOnce,
}

impl FileStream {
    pub(super) fn new(streamed: Streamed) -> Self {
        Self(Rc::new(RefCell::new(streamed)))
    }

    /// Returns the name of the file on the client, without folders and control characters.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        self.0.borrow().name.as_deref().and_then(safe_name)
    }

    /// Returns the media type that the client declared. The content can be something else, unless the property has
    /// `check_content`: then it is the media type of the content. Returns `None` if the client declared nothing.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        self.0.borrow().content_type.clone()
    }

    /// Returns the next piece, or `None` at the end of the file. Delete what you have written before an error.
    ///
    /// # Errors
    /// 413 if the file or the body is too large. 400 if the body is malformed, or another part follows. 408 if the client
    /// stalls. 500 in a second attempt of a transaction, because the first one has read a part of the file.
    #[expect(clippy::await_holding_refcell_ref, reason = "two clones that are read together have no meaning")]
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        let Ok(mut streamed) = self.0.try_borrow_mut() else {
            return Err(Problem::internal("two clones of a `FileStream` are read at the same time"));
        };
        streamed.once.read().map_err(|again| Problem::internal(again.message("a `FileStream`")))?;
        let start = std::mem::take(&mut streamed.start);
        streamed.kept.remove(start.len());
        let piece = if start.is_empty() { streamed.parts.piece().await? } else { Some(start) };
        if let Some(piece) = piece {
            streamed.size = streamed.size.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            return match streamed.max_size {
                Some(most) if streamed.size > most => Err(Problem::new(catalogue::BODY_TOO_LARGE)
                    .detail(format!("The file must have at most {most} bytes."))
                    .detail_key("body_too_large.file")
                    .detail_param("limit", most.to_string())),
                _ => Ok(Some(piece)),
            };
        }
        match streamed.parts.next().await? {
            None => Ok(None),
            Some(_) => Err(malformed("the streamed file must be the last part")),
        }
    }
}

impl<'de> Deserialize<'de> for FileStream {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_file(deserializer)
    }
}

impl Schema for FileStream {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaObject::file_stream().schema_type().clone()
    }
}

impl HasSize for FileStream {}

impl fmt::Debug for FileStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FileStream")
    }
}
