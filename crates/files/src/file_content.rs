//! Defines [`FileContent`], the body of a request that becomes a stored file.

use std::fmt;

use bytes::{Bytes, BytesMut};
use restwright_runtime::core::http::{BodyStream, IncomingBody};
use restwright_runtime::core::runtime::ReadOnce;
use restwright_runtime::core::{Problem, Result};
use sha2::{Digest, Sha256};

use crate::counted::{HeldBytes, counted};
use crate::signature;

/// The content of a file that a client uploads, for a [`FileStore`](crate::FileStore).
///
/// The content is received only as fast as the store reads it. Its size is limited by the body limit of the route.
pub struct FileContent {
    body: BodyStream,
    held: HeldBytes,
    /// The bytes that were read to find the media type.
    start: Bytes,
    size: u64,
    digest: Sha256,
    once: ReadOnce,
}

impl FileContent {
    /// Takes the body of a request.
    ///
    /// # Errors
    /// 413 if the announced length is larger than the limit of the body.
    pub fn take(body: &mut IncomingBody) -> Result<Self> {
        body.check_length()?;
        let (body, held) = counted(body);
        Ok(Self { body, held, start: Bytes::new(), size: 0, digest: Sha256::new(), once: ReadOnce::UNREAD })
    }

    /// Waits for the next piece of the content. Returns `None` at its end.
    ///
    /// # Errors
    /// 400 if the client has sent only a part of the content. 408 if it is too slow. 413 if the content is too large. 500 in a
    /// second attempt of a transaction, because the first one has read a part of the content.
    pub async fn next(&mut self) -> Option<Result<Bytes>> {
        if let Err(again) = self.once.read() {
            return Some(Err(Problem::internal(again.message("a `FileContent`"))));
        }
        let piece = match std::mem::take(&mut self.start) {
            start if start.is_empty() => match self.body.next().await? {
                Ok(piece) => piece,
                Err(error) => return Some(Err(error.into())),
            },
            start => start,
        };
        self.size = self.size.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        self.digest.update(&piece);
        Some(Ok(piece))
    }

    /// States how many bytes the store keeps in memory while it waits for the next piece. They count towards [the memory
    /// of bodies](restwright_runtime::core::Configuration::body_memory). A store that collects blocks must call this
    /// method before each [`next`](Self::next).
    pub fn hold(&self, bytes: usize) {
        self.held.set(bytes);
    }

    /// Returns the media type of the content by its first bytes, or `None` if they have no known signature. Reads up to
    /// 8 KiB, which [`next`](Self::next) returns first.
    ///
    /// # Errors
    /// The errors of [`next`](Self::next).
    pub async fn media_type(&mut self) -> Result<Option<&'static str>> {
        let mut start = BytesMut::from(&*std::mem::take(&mut self.start));
        while start.len() < signature::START
            && let Some(piece) = self.body.next().await
        {
            start.extend_from_slice(&piece?);
            self.hold(start.len());
        }
        self.hold(0);
        self.start = start.freeze();
        Ok(signature::media_type_of(&self.start))
    }

    /// Returns the number of bytes that [`next`](Self::next) has returned.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 of the bytes that [`next`](Self::next) has returned, in lower-case hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        self.digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for FileContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FileContent").field("size", &self.size).finish_non_exhaustive()
    }
}
