//! Defines [`Lines`], which splits a body into lines.

use bytes::{Buf, BytesMut};
use restwright_runtime::core::Result;
use restwright_runtime::core::http::BodyStream;

use super::{MAX_ITEM, too_large};

/// The lines of a body.
#[derive(Default)]
pub(super) struct Lines {
    /// The received bytes that are not read yet.
    buffer: BytesMut,
    /// The number of lines that were read.
    count: u64,
}

impl Lines {
    /// Returns the next line that is not empty, with its number.
    pub(super) async fn next(&mut self, body: &mut BodyStream) -> Result<Option<(BytesMut, u64)>> {
        loop {
            let end = self.end(body).await?;
            let line = self.buffer.split_to(end.unwrap_or(self.buffer.len()));
            self.count += 1;
            if line.len() > MAX_ITEM {
                return Err(too_large(self.count));
            }
            if end.is_some() {
                self.buffer.advance(1);
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some((line, self.count)));
            }
            if end.is_none() {
                return Ok(None);
            }
        }
    }

    /// Returns the position of the next line break. Returns `None` for the last line.
    async fn end(&mut self, body: &mut BodyStream) -> Result<Option<usize>> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(end) = memchr::memchr(b'\n', rest) {
                return Ok(Some(searched + end));
            }
            searched = self.buffer.len();
            if searched > MAX_ITEM {
                return Err(too_large(self.count + 1));
            }
            match body.next().await {
                Some(piece) => self.buffer.extend_from_slice(&piece?),
                None => return Ok(None),
            }
        }
    }
}
