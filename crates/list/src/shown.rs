//! [`shown`]: client input in messages.

/// The maximum number of characters of client input in a message.
const LONGEST: usize = 128;

/// Returns client input for a message, shortened if it is long.
pub(crate) fn shown(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
