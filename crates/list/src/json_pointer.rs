//! What filters and orders share on the wire.

/// The longest part of a name of the client's own that a pointer repeats, in characters.
const LONGEST_NAME: usize = 128;

/// A name that the client chose as a JSON Pointer (RFC 6901, section 3), cut when it is long.
pub(crate) fn pointer(name: &str) -> String {
    let kept = name.char_indices().nth(LONGEST_NAME).and_then(|(end, _)| name.get(..end));
    let mut pointer = String::with_capacity(1 + kept.unwrap_or(name).len());
    pointer.push('/');
    for character in kept.unwrap_or(name).chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
    if kept.is_some() {
        pointer.push('…');
    }
    pointer
}

/// A text of the client's own for a message, cut when it is long.
pub(crate) fn shown(text: &str) -> &str {
    text.char_indices().nth(LONGEST_NAME).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
