//! Defines path templates such as `/pets/{id}` and `/files/{*path}`.

use std::borrow::Cow;
use std::fmt;

use crate::build_errors::BuildErrors;

/// A path template with named segments, such as `/pets/{id}`. `{name}` matches one segment. A final `{*name}` matches
/// one or more segments.
///
/// The tail `{*name}` must be in normal form. No segment may be empty, `.` or `..`, or contain a slash or backslash,
/// even encoded. A path with any other tail is a 404, unless the route accepts [any tail](crate::Route::any_tail).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    parameters: Vec<Segment>,
}

/// A named segment of a path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The name of the segment, which is in braces in the template.
    pub name: String,
    /// The position of the segment in the path, from 0.
    pub index: usize,
    /// `true` if the segment matches the rest of the path.
    pub tail: bool,
}

impl Template {
    /// Parses a path template.
    ///
    /// # Errors
    /// The path does not start with `/`. A name is empty, repeated or not an identifier. A segment contains braces, a
    /// tail is not last, or a segment is not valid in a path.
    pub fn parse(text: &str) -> Result<Self, BuildErrors> {
        let mut errors = BuildErrors::new();
        let Some(path) = text.strip_prefix('/') else {
            return Err(BuildErrors::one(format!("the path `{text}` must start with `/`; write `/{text}`")));
        };
        let mut parameters: Vec<Segment> = Vec::new();
        let count = path.split('/').count();
        for (index, segment) in path.split('/').enumerate() {
            let Some(inner) = segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
                if matches!(segment, "." | "..") || segment.is_empty() && index + 1 != count {
                    errors.push(format!(
                        "the segment `{segment}` of `{text}` is resolved by clients or merged by proxies; rename or remove it"
                    ));
                }
                if segment.contains(['{', '}', '?', '#', ' ']) {
                    errors.push(format!(
                        "the segment `{segment}` of `{text}` must be plain text or one `{{name}}`; a name must be a whole segment"
                    ));
                }
                continue;
            };
            let tail = inner.starts_with('*');
            let name = inner.strip_prefix('*').unwrap_or(inner);
            if !is_identifier(name) {
                errors.push(format!(
                    "`{{{inner}}}` in `{text}` is not a name; use a letter or `_`, then letters, digits, `_` and `-`"
                ));
            }
            if tail && index + 1 != count {
                errors.push(format!(
                    "`{{{inner}}}` in `{text}` matches the rest of the path, so it must be the last segment"
                ));
            }
            if parameters.iter().any(|known| known.name == name) {
                errors.push(format!("`{{{name}}}` occurs twice in `{text}`; give each segment a different name"));
            }
            parameters.push(Segment { name: name.to_owned(), index, tail });
        }
        errors.finish(Some(Self { text: text.to_owned(), parameters }))
    }

    /// Returns the path template as declared.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the names of the path parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|segment| segment.name.as_str())
    }

    /// Returns `true` if the last segment matches the rest of the path.
    #[must_use]
    pub fn has_tail(&self) -> bool {
        self.parameters.last().is_some_and(|segment| segment.tail)
    }

    /// Returns the index of a path parameter in [`parameters`](Self::parameters).
    #[must_use]
    pub fn position_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|segment| segment.name == name)
    }

    /// Returns the template with its parameter names removed, to compare templates.
    #[must_use]
    pub fn anonymous(&self) -> String {
        self.map_segments(|segment| if segment.tail { "{*}".to_owned() } else { "{}".to_owned() })
    }

    /// Returns the template in the syntax of the router matchit, with static segments in normal form (RFC 3986).
    #[must_use]
    pub fn router_syntax(&self) -> String {
        self.map_segments(
            |Segment { index, tail, .. }| {
                if *tail { format!("{{*p{index}}}") } else { format!("{{p{index}}}") }
            },
        )
    }

    /// Returns all segments of the template. A static segment is in normal form. A parameter has an empty string.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (String, Option<&Segment>)> {
        let path = self.text.strip_prefix('/').unwrap_or(&self.text);
        path.split('/').enumerate().map(|(index, text)| {
            match self.parameters.iter().find(|segment| segment.index == index) {
                Some(segment) => (String::new(), Some(segment)),
                None => (encode(text), None),
            }
        })
    }

    fn map_segments(&self, replace: impl Fn(&Segment) -> String) -> String {
        let segments = self.segments().map(|(text, segment)| segment.map_or(text, &replace));
        segments.fold(String::new(), |whole, segment| whole + "/" + &segment)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Normalises a percent-encoded path (RFC 3986, sections 6.2.2.1 and 6.2.2.2).
///
/// Unreserved characters are decoded, and hexadecimal digits are converted to upper case. Other encodings remain,
/// especially `%2F`, because a path is split before it is decoded. A `%` that begins no encoding becomes `%25`, so
/// `%2%46` cannot become `%2F`.
#[must_use]
pub fn normalise(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut normal = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((plain, encoded)) = rest.split_once('%') {
        normal.push_str(plain);
        let digits = encoded.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if is_unreserved(byte) => normal.push(char::from(byte)),
            Some(byte) => normal.push_str(&format!("%{byte:02X}")),
            None => {
                normal.push_str("%25");
                rest = encoded;
                continue;
            }
        }
        rest = encoded.get(2..).unwrap_or_default();
    }
    normal.push_str(rest);
    Cow::Owned(normal)
}

/// Returns `true` if the tail of a [normalised](normalise) path has no empty segments, dot segments, backslashes or
/// encoded slashes.
///
/// Encoded backslashes are excluded too. Decoding and resolving such a tail (RFC 3986, section 5.2.4) cannot lead to a
/// path outside its prefix or to another route.
#[must_use]
pub fn is_normal_tail(tail: &str) -> bool {
    tail.split('/').all(|segment| {
        !matches!(segment, "" | "." | "..") && !segment.contains('\\') && !has_encoded(segment, ["2F", "5C"])
    })
}

/// Returns `true` if a normalised segment contains one of these percent-encoded bytes.
fn has_encoded(segment: &str, digits: [&str; 2]) -> bool {
    segment.split('%').skip(1).any(|encoded| digits.iter().any(|digits| encoded.starts_with(digits)))
}

/// Returns a static segment in normal form.
fn encode(text: &str) -> String {
    let allowed = |byte: u8| is_unreserved(byte) || b"!$&'()*+,;=:@%".contains(&byte);
    let encoded = text.bytes().fold(String::new(), |mut encoded, byte| {
        if allowed(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
        encoded
    });
    normalise(&encoded).into_owned()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || "_-".contains(character))
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn returns_the_positions_of_names() {
        let template = Template::parse("/shelters/{shelter}/files/{*path}").unwrap();
        assert_eq!(template.parameters().collect::<Vec<_>>(), ["shelter", "path"]);
        assert_eq!([template.position_of("path"), template.position_of("none")], [Some(1), None]);
        assert_eq!(template.anonymous(), "/shelters/{}/files/{*}");
    }

    #[test]
    fn rejects_invalid_templates() {
        for (text, expected) in [
            ("pets", "must start with `/`"),
            ("/pets/{id}.json", "must be plain text or one"),
            ("/pets/{}", "is not a name"),
            ("/pets/{1a}", "is not a name"),
            ("/{*rest}/x", "must be the last segment"),
            ("//pets", "the segment `` of"),
            ("/pets/../x", "the segment `..` of"),
            ("/{id}/{id}", "occurs twice"),
        ] {
            let message = Template::parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn normal_tails_resolve_to_themselves() {
        for (tail, expected) in [
            ("a", true),
            ("a/b.c/..d/e..", true),
            ("...", true),
            ("%20/%C3%A4", true),
            ("%252F/%252e%252e", true),
            ("2F/5C", true),
            ("", false),
            ("/", false),
            ("a/", false),
            ("/a", false),
            ("a//b", false),
            (".", false),
            ("a/./b", false),
            ("..", false),
            ("a/../b", false),
            ("a/..", false),
            ("%2e%2E/a", false),
            (".%2e", false),
            ("a%2fb", false),
            ("a%2Fb", false),
            ("a%5cb", false),
            ("a\\b", false),
        ] {
            assert_eq!(is_normal_tail(&normalise(tail)), expected, "{tail}");
        }
    }

    #[test]
    fn paths_are_normalised() {
        for (path, expected) in [
            ("/pets", "/pets"),
            ("/p%65ts", "/pets"),
            ("/a%2fb", "/a%2Fb"),
            ("/%c3%a4", "/%C3%A4"),
            ("/%7Euser", "/~user"),
            ("/%zz%4", "/%25zz%254"),
            ("/%ä", "/%25ä"),
            ("/%+f", "/%25+f"),
            ("/..%2%66a", "/..%252fa"),
            ("/%%32%46", "/%252F"),
            ("/%5%43a", "/%255Ca"),
        ] {
            assert_eq!(normalise(path), expected);
        }
    }

    proptest! {
        #[test]
        fn a_normal_path_decodes_to_the_same_bytes(path in "[%/.a25fFcC64]{0,24}") {
            let decoded = |path: &str| percent_decode_str(path).collect::<Vec<_>>();
            prop_assert_eq!(decoded(&normalise(&path)), decoded(&path));
            let normal = normalise(&path).into_owned();
            prop_assert_eq!(normalise(&normal), normal.as_str());
        }

        #[test]
        fn a_normal_tail_decodes_without_a_separator(tail in "[%/.a25fFcC64]{0,24}") {
            let normal = normalise(&tail).into_owned();
            if is_normal_tail(&normal) {
                for segment in normal.split('/') {
                    let decoded = percent_decode_str(segment).decode_utf8_lossy();
                    prop_assert!(!decoded.contains(['/', '\\']) && !matches!(&*decoded, "" | "." | ".."), "{}", decoded);
                }
            }
        }
    }
}
