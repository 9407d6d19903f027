//! [`Buffer`]: a text in the making.

use std::io;

/// A text that is written into places that are there already, so that each piece checks once whether there is room for it.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// The text, and the place for more.
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

    /// Returns the text, without the place for more.
    pub(super) fn into_vec(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes.shrink_to_fit();
        self.bytes
    }

    /// Returns how many bytes it holds without more memory.
    pub(super) fn capacity(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    /// Takes bytes of the text away from its end.
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

    /// Writes `"text"`.
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

    /// Writes `,"name":`, with the separator for the comma. Of a constant name it takes no more than a few stores, inlined.
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

/// For serde_json.
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
