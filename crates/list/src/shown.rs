//! [`shown`]: shortens client input for messages.

/// The maximum number of characters of client input in a message.
const LONGEST: usize = 128;

/// Returns client input for a message, shortened to [`LONGEST`] characters.
pub(crate) fn shown(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
