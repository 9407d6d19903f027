//! Parses the head of a part (RFC 7578, section 4) and the boundary of a body (RFC 2046, section 5.1.1).

use std::borrow::Cow;

use httparse::{EMPTY_HEADER, Status};
use percent_encoding::percent_decode_str;

use crate::counted::ALLOCATION;

/// The maximum number of headers of a part.
const MOST_HEADERS: usize = 16;

/// The head of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartHead {
    /// The name of the field.
    pub(crate) name: String,
    /// The file name as the client sent it. It can contain any characters.
    pub(crate) file_name: Option<String>,
    pub(crate) content_type: Option<String>,
}

impl PartHead {
    /// Returns the number of bytes that the head uses in memory.
    pub(crate) fn memory(&self) -> usize {
        let strings = [Some(&self.name), self.file_name.as_ref(), self.content_type.as_ref()];
        strings.into_iter().flatten().map(|string| string.capacity() + ALLOCATION).sum()
    }

    /// Parses a head that ends with an empty line.
    ///
    /// # Errors
    /// What is wrong with the head.
    pub(crate) fn parse(head: &[u8]) -> Result<Self, &'static str> {
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let parsed = match httparse::parse_headers(head, &mut headers) {
            Ok(Status::Complete((length, headers))) if length == head.len() => headers,
            Err(httparse::Error::TooManyHeaders) => return Err("a part must have at most 16 headers"),
            _ => return Err("the head of a part is malformed"),
        };
        let (mut disposition, mut content_type) = (None, None);
        for header in parsed {
            let Ok(value) = std::str::from_utf8(header.value) else { return Err("the head of a part must be UTF-8") };
            if header.name.eq_ignore_ascii_case("content-disposition") {
                if disposition.replace(value).is_some() {
                    return Err("a part must have only one `Content-Disposition`");
                }
            } else if header.name.eq_ignore_ascii_case("content-type") {
                if content_type.replace(value).is_some() {
                    return Err("a part must have only one `Content-Type`");
                }
                if value.trim_start().get(..10).is_some_and(|kind| kind.eq_ignore_ascii_case("multipart/")) {
                    return Err("a part must not contain parts; send several files under one name");
                }
            } else if header.name.eq_ignore_ascii_case("content-encoding") {
                return Err("a part must be sent without `Content-Encoding`");
            } else if header.name.eq_ignore_ascii_case("content-transfer-encoding") {
                let plain = ["7bit", "8bit", "binary"];
                if !plain.iter().any(|plain| value.trim().eq_ignore_ascii_case(plain)) {
                    return Err("a part must be sent without `Content-Transfer-Encoding` (RFC 7578, section 4.7)");
                }
            }
        }
        let (kind, parameters) = parameters(disposition.ok_or("a part has no `Content-Disposition`")?)?;
        if !kind.eq_ignore_ascii_case("form-data") {
            return Err("the `Content-Disposition` of a part must be `form-data`");
        }
        let (mut name, mut file_name, mut encoded_name) = (None, None, None);
        for (parameter, value) in parameters {
            let target = match parameter {
                _ if parameter.eq_ignore_ascii_case("name") => &mut name,
                _ if parameter.eq_ignore_ascii_case("filename") => &mut file_name,
                _ if parameter.eq_ignore_ascii_case("filename*") => &mut encoded_name,
                _ => continue,
            };
            if target.replace(value).is_some() {
                return Err("a parameter of `Content-Disposition` must occur only once");
            }
        }
        // RFC 7578 forbids `filename*`, so `filename` has precedence.
        if let (None, Some(encoded)) = (&file_name, encoded_name) {
            file_name = Some(decode(&encoded).ok_or("`filename*` of a part must be UTF-8 (RFC 8187)")?);
        }
        let content_type = content_type.map(|value| value.trim().to_owned());
        Ok(Self { name: name.ok_or("a part has no name")?, file_name, content_type })
    }
}

/// Returns the boundary in a `Content-Type`.
pub(crate) fn boundary(content_type: &str) -> Option<String> {
    let (_, parameters) = parameters(content_type).ok()?;
    let mut boundaries = parameters.into_iter().filter(|(name, _)| name.eq_ignore_ascii_case("boundary"));
    let (_, boundary) = boundaries.next().filter(|_| boundaries.next().is_none())?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    let is_valid = (1..=70).contains(&boundary.len()) && boundary.bytes().all(is_allowed) && !boundary.ends_with(' ');
    is_valid.then_some(boundary)
}

/// Decodes the value of `filename*`, such as `UTF-8''%C3%A4.png` (RFC 8187, section 3.2.1).
fn decode(value: &str) -> Option<String> {
    let (charset, rest) = value.split_once('\'')?;
    let (_language, encoded) = rest.split_once('\'')?;
    let bytes = charset.eq_ignore_ascii_case("utf-8").then(|| percent_decode_str(encoded))?;
    bytes.decode_utf8().ok().map(Cow::into_owned)
}

type HeaderParameters<'v> = Vec<(&'v str, String)>;

/// Splits a header value such as `form-data; name="a"` into its first word and its parameters.
fn parameters(value: &str) -> Result<(&str, HeaderParameters<'_>), &'static str> {
    const MALFORMED: &str = "a parameter in the head of a part is malformed";
    let (kind, mut rest) = value.split_once(';').unwrap_or((value, ""));
    let mut parameters = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        if rest.is_empty() {
            return Ok((kind.trim(), parameters));
        }
        let (name, after) = rest.split_once('=').ok_or(MALFORMED)?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted).ok_or(MALFORMED)?,
            None => {
                let (value, after) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_owned(), after)
            }
        };
        parameters.push((name.trim(), value));
        rest = after;
    }
}

/// Reads a quoted string after its first quote. Returns its value and the rest.
///
/// Browsers write a quote as `%22` and line breaks as `%0D` and `%0A` (HTML Living Standard, section 4.10.21.8), other clients
/// write `\"`. A backslash before another character is part of the value, as in `C:\photo.png`.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = quoted;
    loop {
        let (plain, after) = rest.split_at_checked(rest.find(['"', '\\', '%'])?)?;
        value.push_str(plain);
        rest = if let Some(after) = after.strip_prefix('"') {
            return Some((value, after));
        } else if let Some(after) = after.strip_prefix("\\\"") {
            value.push('"');
            after
        } else if let Some(after) = after.strip_prefix("\\\\") {
            value.push('\\');
            after
        } else {
            let known = [("%22", '"'), ("%0D", '\r'), ("%0A", '\n')];
            match known.into_iter().find(|(encoded, _)| after.starts_with(encoded)) {
                Some((encoded, character)) => {
                    value.push(character);
                    after.get(encoded.len()..)?
                }
                None => {
                    let mut characters = after.chars();
                    value.extend(characters.next());
                    characters.as_str()
                }
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<(String, Option<String>, Option<String>), &'static str> {
        PartHead::parse(head.as_bytes()).map(|head| (head.name, head.file_name, head.content_type))
    }

    #[test]
    fn heads_of_parts() {
        for (head, name, file_name, content_type) in [
            ("Content-Disposition: form-data; name=\"a\"\r\n\r\n", "a", None, None),
            ("content-disposition:FORM-DATA;NAME=a\r\n\r\n", "a", None, None),
            (
                "Content-Disposition: form-data; name=\"a\"; filename=\"b.png\"\r\nContent-Type: image/png\r\n\r\n",
                "a",
                Some("b.png"),
                Some("image/png"),
            ),
            ("Content-Disposition: form-data; name=\"a%22%0D%0A%41\"\r\n\r\n", "a\"\r\n%41", None, None),
            ("Content-Disposition: form-data; name=\"a\\\"\\\\;b\"\r\n\r\n", "a\"\\;b", None, None),
            (
                "Content-Disposition: form-data; name=a; filename=\"C:\\b\\c.txt\"\r\n\r\n",
                "a",
                Some("C:\\b\\c.txt"),
                None,
            ),
            (
                "Content-Disposition: form-data; filename=\"\u{e4}\"; name=\"\u{20ac}\";\r\n\r\n",
                "\u{20ac}",
                Some("\u{e4}"),
                None,
            ),
            ("Content-Disposition: form-data; name=\"\"; filename=\"\"\r\n\r\n", "", Some(""), None),
            (
                "Content-Disposition: form-data; name=a; filename*=utf-8'en'%C3%A4%2Fb\r\n\r\n",
                "a",
                Some("\u{e4}/b"),
                None,
            ),
            ("Content-Disposition: form-data; name=a; FILENAME*=UTF-8''\r\n\r\n", "a", Some(""), None),
            ("Content-Disposition: form-data; name=a; filename*=UTF-8''b; filename=c\r\n\r\n", "a", Some("c"), None),
            ("Content-Disposition: form-data; name=a; filename=c; filename*=latin1''b\r\n\r\n", "a", Some("c"), None),
            ("Content-Transfer-Encoding: binary\r\nContent-Disposition: form-data; name=a\r\n\r\n", "a", None, None),
        ] {
            let expected = (name.to_owned(), file_name.map(str::to_owned), content_type.map(str::to_owned));
            assert_eq!(parse(head), Ok(expected), "{head}");
        }
    }

    #[test]
    fn rejects_malformed_heads() {
        let many = format!("Content-Disposition: form-data; name=a\r\n{}\r\n", "X: 1\r\n".repeat(16));
        for (head, expected) in [
            ("\r\n", "has no `Content-Disposition`"),
            ("Content-Disposition: form-data\r\n\r\n", "has no name"),
            ("Content-Disposition: attachment; name=a\r\n\r\n", "must be `form-data`"),
            ("Content-Disposition: form-data; name=a; name=b\r\n\r\n", "only once"),
            ("Content-Disposition: form-data; name=\"a\r\n\r\n", "malformed"),
            ("Content-Disposition: form-data; name\r\n\r\n", "malformed"),
            ("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n", "only one"),
            (
                "Content-Disposition: form-data; name=a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
                "must not contain parts",
            ),
            ("Content-Disposition: form-data; name=a\r\nContent-Encoding: gzip\r\n\r\n", "without `Content-Encoding`"),
            (
                "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n",
                "Transfer-Encoding",
            ),
            ("Content-Disposition: form-data; name=a; filename*=b.png\r\n\r\n", "must be UTF-8"),
            ("Content-Disposition: form-data; name=a; filename*=latin1''b\r\n\r\n", "must be UTF-8"),
            ("Content-Disposition: form-data; name=a; filename*=utf-8''%FF\r\n\r\n", "must be UTF-8"),
            ("Content-Disposition: form-data; name=a; filename*=utf-8''b; filename*=utf-8''b\r\n\r\n", "only once"),
            ("no colon\r\n\r\n", "malformed"),
            (many.as_str(), "at most 16 headers"),
        ] {
            assert!(parse(head).unwrap_err().contains(expected), "{head}");
        }
        assert!(PartHead::parse(b"Content-Disposition: form-data; name=\"\xff\"\r\n\r\n").is_err());
    }

    #[test]
    fn boundaries() {
        let long = "x".repeat(70);
        let quoted = format!("multipart/form-data; boundary={long}");
        for (content_type, expected) in [
            ("multipart/form-data; boundary=abc", Some("abc")),
            ("multipart/form-data; charset=utf-8; BOUNDARY=\"a b\"", Some("a b")),
            (quoted.as_str(), Some(long.as_str())),
            (&format!("{quoted}x"), None),
            ("multipart/form-data", None),
            ("multipart/form-data; boundary=", None),
            ("multipart/form-data; boundary=\"a \"", None),
            ("multipart/form-data; boundary=a\u{e4}", None),
            ("multipart/form-data; boundary=a; boundary=b", None),
        ] {
            assert_eq!(boundary(content_type).as_deref(), expected, "{content_type}");
        }
    }
}
