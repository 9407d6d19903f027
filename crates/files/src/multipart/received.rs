//! Receives a file, in memory and then in a temporary file.

use std::io::{self, Write};

use bytes::{Bytes, BytesMut};
use restwright_runtime::core::{Problem, Result};
use tokio::task::spawn_blocking;

use super::parts::{Held, Parts};
use super::uploaded_file::Content;
use crate::file_pieces::SharedFile;

/// The maximum size in bytes of a file in memory.
const IN_MEMORY: usize = 64 * 1024;

/// The maximum number of bytes that the files of a form use in memory together.
const ALL_IN_MEMORY: usize = 1024 * 1024;

/// A file that is being received.
pub(super) struct Received {
    held: Held,
    memory: BytesMut,
    file: Option<std::fs::File>,
    size: u64,
}

impl Received {
    /// Receives the content of the current part. Returns `None` if it is larger than `max_size`; the rest is skipped.
    pub(super) async fn receive(parts: &mut Parts, max_size: Option<u64>) -> Result<Option<(u64, Content)>> {
        let mut received = Self { held: parts.held().clone(), memory: BytesMut::new(), file: None, size: 0 };
        let mut is_too_large = false;
        while let Some(piece) = parts.piece().await? {
            if !is_too_large {
                received.size = received.size.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
                is_too_large = max_size.is_some_and(|most| received.size > most);
                if is_too_large {
                    received.forget();
                } else {
                    received.add(piece).await?;
                }
            }
        }
        if is_too_large {
            return Ok(None);
        }
        Ok(Some(received.finish()))
    }

    async fn add(&mut self, piece: Bytes) -> Result<()> {
        let is_small = self.memory.len() + piece.len() <= IN_MEMORY && self.held.get() + piece.len() <= ALL_IN_MEMORY;
        if self.file.is_none() && is_small {
            self.hold(piece.len());
            self.memory.extend_from_slice(&piece);
            return Ok(());
        }
        let begin = std::mem::take(&mut self.memory);
        self.held.set(self.held.get().saturating_sub(begin.len()));
        let file = self.file.take();
        let write = move || {
            let mut file = match file {
                Some(file) => file,
                None => tempfile::tempfile()?,
            };
            file.write_all(&begin)?;
            file.write_all(&piece)?;
            io::Result::Ok(file)
        };
        self.file = Some(spawn_blocking(write).await.map_err(Problem::internal)?.map_err(Problem::internal)?);
        Ok(())
    }

    fn hold(&self, bytes: usize) {
        self.held.set(self.held.get() + bytes);
    }

    fn forget(&mut self) {
        self.held.set(self.held.get().saturating_sub(self.memory.len()));
        self.memory = BytesMut::new();
        self.file = None;
    }

    fn finish(self) -> (u64, Content) {
        let content = match self.file {
            Some(file) => Content::File(SharedFile::new(file)),
            None => Content::Memory(self.memory.freeze()),
        };
        (self.size, content)
    }
}
