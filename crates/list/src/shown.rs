//! [`shown`]: a client's text in a message.

/// The longest part of a client's text that a message repeats, in characters.
const LONGEST: usize = 128;

/// Returns a client's text for a message, cut when it is long.
pub(crate) fn shown(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
