//! Splits and joins comma-separated lists of values. In a value, `\,` is a comma and `\\` is a backslash.

use std::borrow::Cow;

/// A regular expression for one value in a comma-separated list. A comma in a value must be escaped as `\,`.
/// Percent-encoding does not suffice, because clients encode either all commas or none.
pub(super) const ESCAPED: &str = r"^([^,\\]|\\.)*$";

/// Splits a comma-separated list into its values. An empty string has no values. A backslash before any other character
/// is an ordinary character.
pub(super) fn split(text: &str) -> Vec<Cow<'_, str>> {
    if text.is_empty() {
        return Vec::new();
    }
    if !text.contains('\\') {
        return text.split(',').map(Cow::Borrowed).collect();
    }
    let mut values = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next_if(|next| matches!(next, ',' | '\\')) } else { None };
        match (character, escaped, values.last_mut()) {
            (',', _, _) => values.push(String::new()),
            (_, Some(escaped), Some(value)) => value.push(escaped),
            (_, None, Some(value)) => value.push(character),
            (_, _, None) => {}
        }
    }
    values.into_iter().map(Cow::Owned).collect()
}

/// Joins values into a comma-separated list.
pub(super) fn join(values: impl IntoIterator<Item = String>) -> String {
    let escaped = values.into_iter().map(|value| value.replace('\\', r"\\").replace(',', r"\,"));
    escaped.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_unless_they_are_escaped() {
        for (text, expected) in [
            ("", &[] as &[&str]),
            ("a", &["a"]),
            ("a,b", &["a", "b"]),
            (",", &["", ""]),
            (r"a\,b,c", &["a,b", "c"]),
            (r"a\\,b", &[r"a\", "b"]),
            (r"a\b\", &[r"a\b\"]),
            (r"\\\,,\,", &[r"\,", ","]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_joined_is_split() {
        for values in [&["a"] as &[&str], &["a,b", r"c\", r"\,", ""], &["", ""], &[r"\\,,"]] {
            let text = join(values.iter().map(ToString::to_string));
            assert_eq!(split(&text), values, "{text}");
        }
    }
}
