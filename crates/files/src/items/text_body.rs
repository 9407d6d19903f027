//! Defines [`TextBody`], a body of text without the byte order mark at its start.

use bytes::{Buf, Bytes};
use restwright_runtime::core::Result;

use crate::counted::CountedBody;

/// The byte order mark of UTF-8, which some programs write at the start of a file.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The pieces of a body.
pub(super) struct TextBody {
    pub(super) body: CountedBody,
    /// The number of bytes of a mark that were received, or `None` after the first other byte.
    marked: Option<usize>,
}

impl TextBody {
    pub(super) fn new(body: CountedBody) -> Self {
        Self { body, marked: Some(0) }
    }

    /// Waits for the next piece. `kept` is the number of bytes that the reader keeps.
    pub(super) async fn next(&mut self, kept: usize) -> Option<Result<Bytes>> {
        loop {
            let piece = match self.body.next(kept).await {
                Some(Ok(piece)) => Some(piece),
                Some(Err(error)) => return Some(Err(error.into())),
                None => None,
            };
            let Some(marked) = &mut self.marked else { return piece.map(Ok) };
            let is_ended = piece.is_none();
            let mut piece = piece.unwrap_or_default();
            while piece.first().is_some_and(|byte| MARK.get(*marked) == Some(byte)) {
                piece.advance(1);
                *marked = (*marked + 1) % MARK.len();
            }
            if piece.is_empty() && !is_ended {
                continue;
            }
            let start = MARK.get(..*marked).unwrap_or_default();
            self.marked = None;
            return match [start, &piece].concat() {
                bytes if bytes.is_empty() => None,
                bytes => Some(Ok(bytes.into())),
            };
        }
    }
}
