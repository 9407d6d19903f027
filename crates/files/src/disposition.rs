//! Writes the header `Content-Disposition` (RFC 6266).

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that are percent-encoded in `filename*` (RFC 8187, section 3.2.1).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// Returns a `Content-Disposition` of the type `kind` with a file name.
///
/// Control characters and the separators of paths become `_`. A name that is not plain ASCII has two parameters:
/// `filename*` with the name, and `filename` with `_` in place of the other characters, for old clients.
pub(crate) fn disposition(kind: &str, name: &str) -> HeaderValue {
    let name: String = name.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\') { '_' } else { c }).collect();
    // `%` is decoded by some clients.
    let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '%');
    let fallback: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut value = format!("{kind}; filename=\"{fallback}\"");
    if fallback != name {
        value.extend(["; filename*=UTF-8''"].into_iter().chain(utf8_percent_encode(&name, ENCODED)));
    }
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (name, expected) in [
            ("a.txt", r#"attachment; filename="a.txt""#),
            ("a b;c=d,'e'.txt", r#"attachment; filename="a b;c=d,'e'.txt""#),
            ("Ca\u{f1}on 50%.txt", "attachment; filename=\"Ca_on 50_.txt\"; filename*=UTF-8''Ca%C3%B1on%2050%25.txt"),
            ("\u{20ac}\"", "attachment; filename=\"__\"; filename*=UTF-8''%E2%82%AC%22"),
            ("../../etc/passwd", r#"attachment; filename=".._.._etc_passwd""#),
            ("a\\b\r\nSet-Cookie: x", r#"attachment; filename="a_b__Set-Cookie: x""#),
            ("", r#"attachment; filename="""#),
        ] {
            assert_eq!(disposition("attachment", name).to_str().unwrap(), expected);
        }
    }
}
