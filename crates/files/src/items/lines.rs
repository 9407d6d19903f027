//! Defines [`Lines`], which splits a body into lines.

use bytes::{Buf, Bytes};
use restwright_runtime::core::Result;

use super::text_body::TextBody;
use super::{MAX_ITEM, too_large};

/// The lines of a body.
#[derive(Default)]
pub(super) struct Lines {
    /// The received bytes that are not read yet.
    piece: Bytes,
    /// The number of lines that were read.
    count: u64,
}

impl Lines {
    /// Returns the next line that is not empty, with its number.
    pub(super) async fn next(&mut self, body: &mut TextBody) -> Result<Option<(Bytes, u64)>> {
        loop {
            self.count += 1;
            let (line, is_last) = self.line(body).await?;
            if !line.trim_ascii().is_empty() {
                return Ok(Some((line, self.count)));
            }
            if is_last {
                return Ok(None);
            }
        }
    }

    /// Returns the bytes before the next line break, and `true` at the end of the body.
    async fn line(&mut self, body: &mut TextBody) -> Result<(Bytes, bool)> {
        let (mut before, mut length): (Vec<Bytes>, usize) = (Vec::new(), 0);
        let is_last = loop {
            let end = memchr::memchr(b'\n', &self.piece);
            let part = self.piece.split_to(end.unwrap_or(self.piece.len()));
            length += part.len();
            if length > MAX_ITEM {
                return Err(too_large(self.count));
            }
            before.push(part);
            if end.is_some() {
                self.piece.advance(1);
                break false;
            }
            // A client can send pieces of one byte.
            match body.next(length + before.capacity() * size_of::<Bytes>()).await {
                Some(piece) => self.piece = piece?,
                None => break true,
            }
        };
        Ok(match &mut before[..] {
            [line] => (std::mem::take(line), is_last),
            parts => (parts.concat().into(), is_last),
        })
    }
}
