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

/// The maximum size of a piece in bytes. A response has one piece in memory, plus the bytes that the client has not read.
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

/// The bytes of a range of a file, which are read on threads for blocking work.
///
/// The file is open until the stream is dropped. A file that is shorter than expected is an error, so the client
/// detects that the body is incomplete.
pub(crate) struct FilePieces {
    file: SharedFile,
    left: Range<u64>,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl FilePieces {
    pub(crate) fn new(file: SharedFile, range: Range<u64>) -> Self {
        Self { file, left: range, reading: None }
    }
}

impl Stream for FilePieces {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.left.is_empty() {
            return Poll::Ready(None);
        }
        let (file, position) = (&this.file, this.left.start);
        let size = usize::try_from((this.left.end - position).min(PIECE)).unwrap_or_default();
        let reading = this.reading.get_or_insert_with(|| {
            let file = file.clone();
            spawn_blocking(move || file.at(position, |file| read(file, size)))
        });
        let read = ready!(Pin::new(reading).poll(context));
        this.reading = None;
        let piece = match read.map_err(io::Error::other).and_then(|piece| piece) {
            Ok(piece) => piece,
            Err(error) => {
                this.left = 0..0;
                return Poll::Ready(Some(Err(error.into())));
            }
        };
        this.left.start = position.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        Poll::Ready(Some(Ok(piece)))
    }
}

fn read(file: &mut File, size: usize) -> io::Result<Bytes> {
    let mut piece = vec![0; size];
    file.read_exact(&mut piece).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file became shorter while it was sent"),
        _ => error,
    })?;
    Ok(piece.into())
}
