//! Splits a body into its parts (RFC 2046, section 5.1).

use bytes::{Bytes, BytesMut};
use memchr::memmem::Finder;
use restwright_runtime::core::http::{BodyStream, IncomingBody};
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::{Problem, Result};

use super::part_head::PartHead;
use crate::counted::{HeldBytes, KeptBytes, counted};

/// The maximum size in bytes of the head of a part, and of the text before the first boundary.
const MOST_HEAD: usize = 8 * 1024;

/// The maximum number of spaces after a boundary.
const MOST_PADDING: usize = 64;

/// The parts of a body, which are read one after the other.
pub(crate) struct PartReader {
    body: BodyStream,
    /// The received bytes that were not returned yet.
    buffer: BytesMut,
    /// The first piece of the current part, if it was received to see whether the part is empty.
    first: Option<Bytes>,
    /// Finds the delimiter: a line break, two hyphens and the boundary.
    delimiter: Finder<'static>,
    state: MultipartState,
    /// The number of bytes before the content that end the head. In a part without content, the delimiter begins with
    /// them.
    line_break: usize,
    is_first: bool,
    held: HeldBytes,
    /// The bytes of `buffer`.
    buffered: KeptBytes,
    /// The bytes of the head of the current part.
    head: KeptBytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MultipartState {
    /// Before the first boundary, or inside of the content of a part.
    Content,
    /// Directly after a boundary.
    Boundary,
    /// After the last boundary.
    End,
}

impl PartReader {
    pub(crate) fn new(body: &mut IncomingBody, boundary: &str) -> Self {
        let (body, held) = counted(body);
        Self::of_stream(body, boundary, held)
    }

    fn of_stream(body: BodyStream, boundary: &str, held: HeldBytes) -> Self {
        let delimiter = Finder::new(format!("\r\n--{boundary}").as_bytes()).into_owned();
        // The first boundary needs no line break before it.
        let buffer = BytesMut::from(&b"\r\n"[..]);
        let (buffered, head) = (KeptBytes::new(&held, 0), KeptBytes::new(&held, 0));
        Self {
            body,
            buffer,
            first: None,
            delimiter,
            state: MultipartState::Content,
            line_break: 0,
            is_first: true,
            held,
            buffered,
            head,
        }
    }

    /// Returns the counter of the bytes that the form keeps in memory. They count towards the memory of the worker while
    /// it waits for the client.
    pub(crate) fn held(&self) -> &HeldBytes {
        &self.held
    }

    /// Returns the head of the next part, or `None` after the last one. Skips what was not read of the part before.
    ///
    /// # Errors
    /// 400 if the body is malformed, and the problems of a body that cannot be read.
    pub(crate) async fn next(&mut self) -> Result<Option<PartHead>> {
        self.head.set(0);
        let is_first = std::mem::take(&mut self.is_first);
        let mut skipped = 0;
        while let Some(piece) = self.piece().await? {
            skipped += piece.len();
            if is_first && skipped > MOST_HEAD {
                return Err(malformed("there is no boundary in the first 8 KiB"));
            }
        }
        if self.state == MultipartState::End {
            return Ok(None);
        }
        // A boundary may be followed by spaces (RFC 2046, section 5.1.1).
        loop {
            let padding = self.buffer.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match self.buffer.get(padding..) {
                Some([b'-', b'-', ..]) if padding == 0 => return self.end().await.map(|()| None),
                Some([b'\r', b'\n', ..]) => {
                    let _ = self.buffer.split_to(padding + 2);
                    break;
                }
                Some([] | [b'\r' | b'-']) if padding <= MOST_PADDING => self.fill().await?,
                _ => return Err(malformed("a boundary must be followed by a line break")),
            }
        }
        self.state = MultipartState::Content;
        self.head().await.map(Some)
    }

    /// Waits for the first piece of the current part, which [`piece`](Self::piece) then returns. Returns `true` if the part
    /// has no content.
    ///
    /// # Errors
    /// The errors of [`piece`](Self::piece).
    pub(crate) async fn is_empty(&mut self) -> Result<bool> {
        self.first = self.piece().await?;
        Ok(self.first.is_none())
    }

    /// Returns the next piece of the content of the current part, or `None` at its end.
    ///
    /// # Errors
    /// 400 if the body ends inside of the part, and the problems of a body that cannot be read.
    pub(crate) async fn piece(&mut self) -> Result<Option<Bytes>> {
        if let Some(piece) = self.first.take() {
            return Ok(Some(piece));
        }
        while self.state == MultipartState::Content {
            if let Some(position) = self.delimiter.find(&self.buffer) {
                let piece = self.content(position);
                if !piece.is_empty() {
                    return Ok(Some(piece));
                }
                self.line_break = 0;
                let _ = self.buffer.split_to(self.delimiter.needle().len());
                self.state = MultipartState::Boundary;
                return Ok(None);
            }
            // The buffer may end with the first bytes of a delimiter.
            let kept = self.delimiter.needle().len() - 1;
            let ready = self.buffer.len().saturating_sub(kept);
            let piece = self.content(ready);
            if piece.is_empty() {
                self.fill().await?;
            } else {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    /// Removes bytes from the buffer and returns them without the line break after the head.
    fn content(&mut self, length: usize) -> Bytes {
        let mut piece = self.buffer.split_to(length).freeze();
        let skipped = self.line_break.min(piece.len());
        self.line_break -= skipped;
        piece.split_off(skipped)
    }

    async fn head(&mut self) -> Result<PartHead> {
        let mut searched = 0_usize;
        loop {
            let from = searched.saturating_sub(3);
            let end = match self.buffer.get(from..).unwrap_or_default() {
                // A part may have no headers.
                [b'\r', b'\n', ..] if from == 0 => Some(2),
                unread => memchr::memmem::find(unread, b"\r\n\r\n").map(|end| from + end + 4),
            };
            match end {
                Some(end) if end <= MOST_HEAD => {
                    let head = PartHead::parse(self.buffer.get(..end).unwrap_or_default()).map_err(malformed)?;
                    let _ = self.buffer.split_to(end - 2);
                    self.line_break = 2;
                    self.head.set(head.memory());
                    return Ok(head);
                }
                None if self.buffer.len() <= MOST_HEAD => {
                    searched = self.buffer.len();
                    self.fill().await?;
                }
                _ => return Err(malformed("the head of a part must have at most 8 KiB")),
            }
        }
    }

    /// Reads and drops what follows the last boundary, so the connection can be used again.
    async fn end(&mut self) -> Result<()> {
        self.state = MultipartState::End;
        self.buffer.clear();
        self.buffered.set(0);
        while let Some(piece) = self.body.next().await {
            piece?;
        }
        Ok(())
    }

    /// Receives more bytes.
    async fn fill(&mut self) -> Result<()> {
        self.buffered.set(self.buffer.len());
        match self.body.next().await {
            Some(piece) => self.buffer.extend_from_slice(&piece?),
            None => return Err(malformed("the body ends before its last boundary")),
        }
        Ok(())
    }
}

pub(crate) fn malformed(reason: &'static str) -> Problem {
    Problem::new(catalogue::MALFORMED_BODY)
        .detail(format!("The body is not valid `multipart/form-data`: {reason}."))
        .detail_key("malformed_body.multipart")
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use proptest::prelude::*;

    use super::*;

    /// Reads a body that arrives in pieces. Returns the name and the content of each part, and the error after them.
    fn read(pieces: &[&[u8]]) -> (Vec<(String, Vec<u8>)>, Option<String>) {
        let pieces: Vec<_> = pieces.iter().map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let mut parts = PartReader::of_stream(BodyStream::new(stream::iter(pieces)), "b", HeldBytes::default());
        let mut found = Vec::new();
        let read = async {
            while let Some(head) = parts.next().await? {
                let mut content = Vec::new();
                let is_empty = parts.is_empty().await?;
                // A form skips the contents of some parts.
                while head.name != "skipped"
                    && let Some(piece) = parts.piece().await?
                {
                    content.extend_from_slice(&piece);
                }
                assert!(is_empty == content.is_empty() || head.name == "skipped");
                found.push((head.name, content));
            }
            Ok(())
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome: Result<()> = runtime.block_on(read);
        let error = outcome.err().map(|problem| format!("{problem:?}"));
        (found, error)
    }

    /// Pieces of bodies that are nearly valid.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => Just(&b"\r\n--b\r\n"[..]),
            2 => Just(&b"\r\n--b--"[..]),
            4 => Just(&b"Content-Disposition: form-data; name=a\r\n\r\n"[..]),
            2 => Just(&b"Content-Disposition: form-data; name=skipped\r\n\r\n"[..]),
            1 => Just(&b"\r\n"[..]),
            1 => Just(&b"\r\n--"[..]),
            1 => Just(&b"\r"[..]),
            1 => Just(&b"-"[..]),
            1 => Just(&b"b"[..]),
            1 => Just(&b"text"[..]),
        ];
        let pieces = prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat());
        pieces.prop_map(|rest| [&b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n"[..], &rest].concat())
    }

    proptest! {
        #[test]
        fn the_sizes_of_pieces_do_not_matter(body in body(), cuts in prop::collection::vec(0_usize..200, 0..6)) {
            let whole = read(&[&body]);
            let bytes: Vec<_> = body.chunks(1).collect();
            prop_assert_eq!(&read(&bytes), &whole);
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(body.len())).chain([0, body.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|cut| &body[cut[0]..cut[1]]).collect();
            prop_assert_eq!(&read(&pieces), &whole);
        }

        #[test]
        fn contents_are_returned_unchanged(contents in prop::collection::vec("[\r\n-bx]{0,12}", 1..5)) {
            // A content must not contain the delimiter.
            prop_assume!(contents.iter().all(|content| !format!("\r\n{content}\r\n").contains("\r\n--b")));
            let part = |content: &String| format!("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n{content}\r\n");
            let body = contents.iter().map(part).collect::<String>() + "--b--";
            let expected: Vec<_> = contents.into_iter().map(|content| ("a".to_owned(), content.into_bytes())).collect();
            prop_assert_eq!(read(&[body.as_bytes()]), (expected, None));
        }
    }
}
