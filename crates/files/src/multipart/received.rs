//! Receives a file, in memory and then in a temporary file.

use std::fs::File;
use std::io::{self, Write};

use bytes::{Bytes, BytesMut};
use restwright_runtime::core::{Problem, Result};
use tokio::task::{JoinHandle, spawn_blocking};

use super::parts::Parts;
use super::uploaded_file::Content;
use crate::counted::Kept;
use crate::file_pieces::SharedFile;

/// The maximum size in bytes of a file in memory.
const IN_MEMORY: usize = 64 * 1024;

/// The maximum number of bytes that the files of a form use in memory together.
const ALL_IN_MEMORY: usize = 1024 * 1024;

/// The number of bytes that are written to a temporary file at a time.
const BLOCK: usize = 256 * 1024;

/// A file that is being received.
pub(super) struct Received {
    /// The number of bytes that the files before use in memory.
    others: usize,
    /// The bytes of `memory`.
    kept: Kept,
    /// The bytes that were not written to a temporary file.
    memory: BytesMut,
    /// The temporary file. A block is written to it while the next one is received.
    file: Option<JoinHandle<io::Result<File>>>,
    size: u64,
}

impl Received {
    /// Receives the content of the current part. `others` is the number of bytes that the files before use in memory.
    /// Returns `None` if the content is larger than `max_size`; the rest is skipped.
    pub(super) async fn receive(
        parts: &mut Parts,
        max_size: Option<u64>,
        others: usize,
    ) -> Result<Option<(u64, Content)>> {
        let kept = Kept::new(parts.held(), 0);
        let mut received = Self { others, kept, memory: BytesMut::new(), file: None, size: 0 };
        while let Some(piece) = parts.piece().await? {
            received.size = received.size.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            if max_size.is_some_and(|most| received.size > most) {
                received.release();
                while parts.piece().await?.is_some() {}
                return Ok(None);
            }
            received.add(&piece).await.map_err(Problem::internal)?;
        }
        received.finish().await.map(Some).map_err(Problem::internal)
    }

    async fn add(&mut self, piece: &[u8]) -> io::Result<()> {
        self.memory.extend_from_slice(piece);
        self.kept.set(self.memory.len());
        let most = match self.file {
            Some(_) => BLOCK,
            None if self.others.saturating_add(self.memory.len()) > ALL_IN_MEMORY => 0,
            None => IN_MEMORY,
        };
        if self.memory.len() > most { self.write().await } else { Ok(()) }
    }

    /// Starts to write the bytes in memory to the temporary file, after the block before.
    async fn write(&mut self) -> io::Result<()> {
        let block = std::mem::replace(&mut self.memory, BytesMut::with_capacity(BLOCK));
        self.kept.set(0);
        let file = match self.file.take() {
            None => None,
            Some(writing) => Some(writing.await.map_err(io::Error::other)??),
        };
        self.file = Some(spawn_blocking(move || {
            let mut file = match file {
                Some(file) => file,
                None => tempfile::tempfile()?,
            };
            file.write_all(&block)?;
            Ok(file)
        }));
        Ok(())
    }

    fn release(&mut self) {
        self.memory = BytesMut::new();
        self.kept.set(0);
        self.file = None;
    }

    async fn finish(mut self) -> io::Result<(u64, Content)> {
        if self.file.is_none() {
            return Ok((self.size, Content::Memory(self.memory.freeze())));
        }
        self.write().await?;
        match self.file {
            Some(writing) => {
                let file = writing.await.map_err(io::Error::other)??;
                Ok((self.size, Content::File(SharedFile::new(file))))
            }
            None => Ok((self.size, Content::Memory(Bytes::new()))),
        }
    }
}
