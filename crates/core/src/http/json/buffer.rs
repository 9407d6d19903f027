//! Defines [`Buffer`], a growing byte buffer for JSON, and the bytes that JSON escapes.

use std::io;

/// A buffer that writes into initialized memory. Each write therefore checks the capacity only once.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    /// The written bytes, followed by unused space.
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    pub(super) const fn new() -> Self {
        Self { bytes: Vec::new(), length: 0 }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Returns the written bytes without the unused space.
    pub(super) fn into_vec(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes.shrink_to_fit();
        self.bytes
    }

    /// Returns the number of bytes that fit without an allocation.
    pub(super) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Removes `count` bytes from the end.
    pub(super) fn drop_end(&mut self, count: usize) {
        self.length = self.length.saturating_sub(count);
    }

    pub(super) fn get_mut(&mut self, position: usize) -> Option<&mut u8> {
        self.bytes.get_mut(position)
    }

    #[inline]
    pub(super) fn put(&mut self, text: &[u8]) {
        let end = self.length + text.len();
        match self.bytes.get_mut(self.length..end) {
            Some(place) => {
                place.copy_from_slice(text);
                self.length = end;
            }
            None => self.put_after_growth(&[text]),
        }
    }

    /// Writes `text` in quotes. The text must not need escapes.
    #[inline]
    pub(super) fn put_text(&mut self, text: &str) {
        let end = self.length + text.len() + 2;
        match self.bytes.get_mut(self.length..end) {
            Some([start, middle @ .., last]) => {
                (*start, *last) = (b'"', b'"');
                middle.copy_from_slice(text.as_bytes());
                self.length = end;
            }
            _ => self.put_after_growth(&[b"\"", text.as_bytes(), b"\""]),
        }
    }

    /// Writes the separator, the name in quotes, and a colon. The method is inlined, so a constant name compiles to a
    /// few store instructions.
    #[inline(always)]
    pub(super) fn put_name(&mut self, separator: u8, name: &str) {
        let end = self.length + name.len() + 4;
        match self.bytes.get_mut(self.length..end) {
            Some([first, start, middle @ .., last, colon]) => {
                (*first, *start, *last, *colon) = (separator, b'"', b'"', b':');
                middle.copy_from_slice(name.as_bytes());
                self.length = end;
            }
            _ => self.put_after_growth(&[&[separator, b'"'], name.as_bytes(), b"\":"]),
        }
    }

    #[cold]
    fn put_after_growth(&mut self, pieces: &[&[u8]]) {
        let pieces = pieces.concat();
        let end = self.length + pieces.len();
        self.bytes.resize(2 * end.max(128), 0);
        self.put(&pieces);
    }
}

/// Implements `Write`, so serde_json can write into the buffer.
impl io::Write for Buffer {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.put(text);
        Ok(text.len())
    }

    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        self.put(text);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns `true` if the string contains no bytes that JSON escapes.
#[inline]
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().fold(false, |escaped, byte| escaped | (ESCAPED.get(usize::from(byte)) == Some(&true)))
}

/// The bytes that JSON escapes (RFC 8259, section 7).
#[expect(clippy::indexing_slicing, reason = "it is evaluated when it is compiled")]
static ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};
