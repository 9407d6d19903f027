//! Escapes strings in CSV that spreadsheets would run as formulas.

/// The first characters of formulas.
const STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Writes `'` before a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. A text that already has `'` before such a
/// character gets another one, so [`unescape_formula`] returns the original text.
#[must_use]
pub fn escape_formula(text: String) -> String {
    if begins_formula(&text) { format!("'{text}") } else { text }
}

/// Removes the `'` that [`escape_formula`] writes.
#[must_use]
pub fn unescape_formula(text: &str) -> &str {
    text.strip_prefix('\'').filter(|text| begins_formula(text)).unwrap_or(text)
}

fn begins_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_after_an_export_and_an_import() {
        for (text, escaped) in [
            ("", ""),
            ("=1+1", "'=1+1"),
            ("+4917", "'+4917"),
            ("-3.50", "'-3.50"),
            ("@a", "'@a"),
            ("\ta", "'\ta"),
            ("\r", "'\r"),
            ("'=1", "''=1"),
            ("''-", "'''-"),
            ("'", "'"),
            ("'n'", "'n'"),
            ("'tis", "'tis"),
            ("1-1", "1-1"),
        ] {
            assert_eq!(escape_formula(text.to_owned()), escaped, "{text}");
            assert_eq!(unescape_formula(escaped), text, "{escaped}");
        }
    }
}
