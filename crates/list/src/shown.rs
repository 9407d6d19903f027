//! Defines [`shown`], which shortens client input for error messages.

/// The maximum number of characters of client input in an error message.
const LONGEST: usize = 128;

/// Returns client input for an error message, shortened to [`LONGEST`] characters.
pub(crate) fn shown(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
