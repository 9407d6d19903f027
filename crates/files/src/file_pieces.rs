//! Reads a file in pieces.

use std::error::Error;
use std::fs::File;
use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use tokio::task::{JoinHandle, spawn_blocking};

/// The maximum size of a piece in bytes. A response has two pieces in memory, plus the bytes that the client has not read.
const PIECE: u64 = 64 * 1024;

/// An open file that several readers share. Each read states its position.
#[derive(Debug, Clone)]
pub(crate) struct SharedFile(Arc<Mutex<File>>);

impl SharedFile {
    pub(crate) fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Calls `read` with the file at a position, on the current thread.
    pub(crate) fn at<T>(&self, position: u64, read: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(position))?;
        read(&mut file)
    }
}

/// The bytes of a range of a file, which are read on threads for blocking work. While a piece is sent, the next one is
/// read.
///
/// The file is open until the stream is dropped. A file that is shorter than expected is an error, so the client
/// detects that the body is incomplete.
pub(crate) struct FilePieces {
    file: SharedFile,
    /// The bytes that no read was started for.
    left: Range<u64>,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl FilePieces {
    pub(crate) fn new(file: SharedFile, range: Range<u64>) -> Self {
        Self { file, left: range, reading: None }
    }

    fn read_next(&mut self) {
        let (file, position) = (self.file.clone(), self.left.start);
        let end = position.saturating_add(PIECE).min(self.left.end);
        if position < end {
            self.left.start = end;
            self.reading = Some(spawn_blocking(move || file.at(position, |file| read(file, end - position))));
        }
    }
}

impl Stream for FilePieces {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.reading.is_none() {
            self.read_next();
        }
        let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(context));
        self.reading = None;
        let piece = read.map_err(io::Error::other).and_then(|piece| piece);
        match piece {
            Ok(_) => self.read_next(),
            Err(_) => self.left = 0..0,
        }
        Poll::Ready(Some(piece.map_err(Into::into)))
    }
}

fn read(file: &mut File, size: u64) -> io::Result<Bytes> {
    let mut piece = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    let count = file.take(size).read_to_end(&mut piece)?;
    if u64::try_from(count).unwrap_or_default() < size {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file became shorter while it was sent"));
    }
    Ok(piece.into())
}
