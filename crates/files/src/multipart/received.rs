//! Receives a file, in memory and then in a temporary file.

use std::io::{self, Write};

use bytes::BytesMut;
use restwright_runtime::core::{Problem, Result};
use tokio::task::{JoinHandle, spawn_blocking};

use super::parts::PartReader;
use super::uploaded_file::UploadContent;
use crate::counted::KeptBytes;
use crate::file_pieces::SharedFile;

/// The maximum size in bytes of a file in memory.
const IN_MEMORY: usize = 64 * 1024;

/// The maximum number of bytes that the files of a form use in memory together.
const ALL_IN_MEMORY: usize = 1024 * 1024;

/// The number of bytes that are written to a temporary file at a time.
const BLOCK: usize = 256 * 1024;

/// The temporary file of a form. It contains all files of the form that are not in memory, so a form uses one descriptor.
#[derive(Default)]
pub(super) struct TemporaryFile {
    file: Option<SharedFile>,
    /// The position after the last complete file.
    end: u64,
}

/// A file that is being received.
pub(super) struct ReceivedFile<'t> {
    /// The number of bytes that the files before use in memory.
    others: usize,
    /// The bytes of `memory`.
    kept: KeptBytes,
    /// The bytes that were not written to the temporary file.
    memory: BytesMut,
    temporary: &'t mut TemporaryFile,
    /// Writes a block to the temporary file, while the next block is received.
    writing: Option<JoinHandle<io::Result<SharedFile>>>,
    /// The number of bytes that were written, or are being written.
    written: u64,
    size: u64,
}

impl<'t> ReceivedFile<'t> {
    /// Receives the content of the current part. `others` is the number of bytes that the files before use in memory.
    /// Returns `None` if the content is larger than `max_size`; the rest is skipped.
    pub(super) async fn receive(
        parts: &mut PartReader,
        max_size: Option<u64>,
        others: usize,
        temporary: &'t mut TemporaryFile,
    ) -> Result<Option<(u64, UploadContent)>> {
        let kept = KeptBytes::new(parts.held(), 0);
        let mut received =
            Self { others, kept, memory: BytesMut::new(), temporary, writing: None, written: 0, size: 0 };
        while let Some(piece) = parts.piece().await? {
            received.size = received.size.saturating_add(length(&piece));
            if max_size.is_some_and(|most| received.size > most) {
                received.release().await.map_err(Problem::internal)?;
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
        let most = match self.writing {
            Some(_) => BLOCK,
            None if self.others.saturating_add(self.memory.len()) > ALL_IN_MEMORY => 0,
            None => IN_MEMORY,
        };
        if self.memory.len() > most { self.write().await } else { Ok(()) }
    }

    /// Starts to write the bytes in memory to the temporary file, after the block before.
    async fn write(&mut self) -> io::Result<()> {
        // A large file fills blocks.
        let capacity = if self.memory.len() > IN_MEMORY { BLOCK } else { 0 };
        let block = std::mem::replace(&mut self.memory, BytesMut::with_capacity(capacity));
        self.kept.set(0);
        self.wait().await?;
        let file = self.temporary.file.clone();
        let position = self.temporary.end.saturating_add(self.written);
        self.written = self.written.saturating_add(length(&block));
        self.writing = Some(spawn_blocking(move || {
            let file = match file {
                Some(file) => file,
                None => SharedFile::new(tempfile::tempfile()?),
            };
            file.at(position, |file| file.write_all(&block))?;
            Ok(file)
        }));
        Ok(())
    }

    /// Waits until the last block is written.
    async fn wait(&mut self) -> io::Result<()> {
        if let Some(writing) = self.writing.take() {
            self.temporary.file = Some(writing.await.map_err(io::Error::other)??);
        }
        Ok(())
    }

    async fn release(&mut self) -> io::Result<()> {
        self.memory = BytesMut::new();
        self.kept.set(0);
        self.wait().await
    }

    async fn finish(mut self) -> io::Result<(u64, UploadContent)> {
        if self.written == 0 {
            return Ok((self.size, UploadContent::Memory(self.memory.freeze())));
        }
        if !self.memory.is_empty() {
            self.write().await?;
        }
        self.wait().await?;
        let start = self.temporary.end;
        self.temporary.end = start.saturating_add(self.written);
        match &self.temporary.file {
            Some(file) => Ok((self.size, UploadContent::File(file.clone(), start))),
            None => Err(io::Error::other("a file was written, but there is no temporary file")),
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
