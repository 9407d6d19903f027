//! Reads a file in pieces.

use std::error::Error;
use std::fs::File;
use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use tokio::task::{JoinHandle, spawn_blocking};

/// The maximum size of a piece in bytes. A response has one piece in memory, plus the bytes that the client has not read.
const PIECE: u64 = 64 * 1024;

/// The bytes of a range of a file, which are read on threads for blocking work.
///
/// The file is open until the stream is dropped. A file that is shorter than expected is an error, so the client
/// detects that the body is incomplete.
pub(crate) struct FilePieces {
    state: State,
    /// The position of the next read, until the file is at this position.
    seek: Option<u64>,
    left: u64,
}

enum State {
    Idle(File),
    Reading(JoinHandle<io::Result<(File, Bytes)>>),
    Ended,
}

impl FilePieces {
    pub(crate) fn new(file: File, range: Range<u64>) -> Self {
        Self {
            state: State::Idle(file),
            seek: (range.start > 0).then_some(range.start),
            left: range.end.saturating_sub(range.start),
        }
    }
}

impl Stream for FilePieces {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.left == 0 {
            this.state = State::Ended;
            return Poll::Ready(None);
        }
        if let State::Idle(_) = this.state
            && let State::Idle(file) = std::mem::replace(&mut this.state, State::Ended)
        {
            let (seek, size) = (this.seek.take(), usize::try_from(this.left.min(PIECE)).unwrap_or_default());
            this.state = State::Reading(spawn_blocking(move || read(file, seek, size)));
        }
        let State::Reading(reading) = &mut this.state else { return Poll::Ready(None) };
        let read = ready!(Pin::new(reading).poll(context));
        this.state = State::Ended;
        let (file, piece) = read??;
        this.state = State::Idle(file);
        this.left = this.left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        Poll::Ready(Some(Ok(piece)))
    }
}

fn read(mut file: File, seek: Option<u64>, size: usize) -> io::Result<(File, Bytes)> {
    if let Some(position) = seek {
        file.seek(SeekFrom::Start(position))?;
    }
    let mut piece = vec![0; size];
    file.read_exact(&mut piece).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file became shorter while it was sent"),
        _ => error,
    })?;
    Ok((file, piece.into()))
}
