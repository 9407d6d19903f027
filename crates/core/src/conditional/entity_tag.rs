//! Defines entity tags (RFC 9110, section 8.8.3).

use std::borrow::Cow;
use std::fmt::{self, Display};

use http::{HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use restwright_schema::{Code, Violation, pointer_to};

use crate::http::HttpRequest;

/// The characters of a tag that are percent-encoded. They are the characters that a tag must not contain (RFC 9110,
/// section 8.8.3), `%`, and `;`, which separates the content coding.
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%').add(b';');

/// The first character of the variant in a tag such as `"5;~read"`. The variant follows a `;`.
const VARIANT: char = '~';

/// An entity tag, which identifies one state of a resource (RFC 9110, section 8.8.3).
///
/// A response with another content coding needs another tag. [`with_coding`](Self::with_coding) therefore adds the
/// coding as a suffix: `"5;gzip"`. Comparisons ignore the suffix, because clients refer to the state of the resource.
///
/// If callers see the same state differently, each [variant](Self::with_variant) needs another tag too: `"5;~read"`.
///
/// ```
/// use restwright_core::conditional::EntityTag;
///
/// let tag = EntityTag::strong(5);
/// assert_eq!(tag.to_string(), "\"5\"");
/// let sent = EntityTag::parse("\"5;gzip\"").unwrap();
/// assert!(tag.matches(&sent));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag {
    text: String,
    is_weak: bool,
}

impl EntityTag {
    /// Creates a strong tag. Responses with the same strong tag and the same content coding must have identical bytes.
    /// Characters that are not allowed in a tag are percent-encoded.
    #[must_use]
    pub fn strong(text: impl Display) -> Self {
        let text = text.to_string();
        let encoded = match Cow::from(utf8_percent_encode(&text, ENCODED)) {
            Cow::Borrowed(_) => None,
            Cow::Owned(encoded) => Some(encoded),
        };
        Self { text: encoded.unwrap_or(text), is_weak: false }
    }

    /// Creates a weak tag. Responses with the same weak tag are equivalent, but may differ in their bytes. A weak tag
    /// never satisfies `If-Match`.
    #[must_use]
    pub fn weak(text: impl Display) -> Self {
        Self { is_weak: true, ..Self::strong(text) }
    }

    /// Parses a tag from a header value such as `"5"` or `W/"5"`. Returns `None` if the syntax is invalid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (tag, rest) = Self::parse_first(text)?;
        rest.is_empty().then_some(tag)
    }

    /// Returns this tag with a suffix for the content coding, such as `"5;gzip"` for the tag `"5"`.
    #[must_use]
    pub fn with_coding(&self, coding: &str) -> Self {
        let text = format!("{};{}", self.representation(), utf8_percent_encode(coding, ENCODED));
        Self { text, is_weak: self.is_weak }
    }

    /// Returns this tag with a suffix for the variant, such as `"5;~read"` for the tag `"5"`. Callers who see the state
    /// differently need different variants. For example, callers who may not see every member receive a separate
    /// variant.
    ///
    /// `If-Match` compares only the state, so a change needs the current state in any variant. `If-None-Match` also
    /// compares the variant.
    ///
    /// ```
    /// use restwright_core::conditional::EntityTag;
    ///
    /// let (all, some) = (EntityTag::strong(5), EntityTag::strong(5).with_variant("some"));
    /// assert_eq!(some.to_string(), "\"5;~some\"");
    /// assert!(some.matches(&all) && !some.matches_weakly(&all));
    /// ```
    #[must_use]
    pub fn with_variant(&self, variant: impl Display) -> Self {
        let variant = variant.to_string();
        let text = format!("{};{VARIANT}{}", self.state(), utf8_percent_encode(&variant, ENCODED));
        Self { text, is_weak: self.is_weak }
    }

    /// Parses a list of tags in the syntax of `If-None-Match`. Returns `None` if the value is `*` or is invalid.
    #[must_use]
    pub fn parse_list(text: &str) -> Option<Vec<Self>> {
        match TagList::parse(text)? {
            TagList::Any => None,
            TagList::Tags(tags) => Some(tags),
        }
    }

    /// Returns the content coding of the tag, such as `gzip` for `"5;gzip"`.
    #[must_use]
    pub fn coding(&self) -> Option<&str> {
        self.text.split(';').skip(1).find(|part| !part.starts_with(VARIANT))
    }

    /// Returns this tag with the content-coding suffix of another tag, such as `;gzip`. Returns this tag unchanged if
    /// the other tag has no coding.
    pub(super) fn in_coding_of(&self, other: &Self) -> Self {
        let coding = other.coding().map(|coding| format!("{};{coding}", self.representation()));
        Self { text: coding.unwrap_or_else(|| self.text.clone()), is_weak: self.is_weak }
    }

    /// Returns this tag as a strong tag.
    #[must_use]
    pub fn to_strong(&self) -> Self {
        Self { text: self.text.clone(), is_weak: false }
    }

    /// Returns `true` if the tag is weak.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        self.is_weak
    }

    /// Compares two tags with strong comparison, as `If-Match` requires (RFC 9110, section 8.8.3.2). Two tags that differ only in the
    /// variant or the content coding match.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        !self.is_weak && !other.is_weak && self.state() == other.state()
    }

    /// Compares two tags with weak comparison, as `If-None-Match` requires (RFC 9110, section 8.8.3.2). The tags must
    /// be equal apart from the prefix `W/` and the content coding.
    #[must_use]
    pub fn matches_weakly(&self, other: &Self) -> bool {
        self.representation() == other.representation()
    }

    /// Returns the tag as the value of an `ETag` header.
    #[must_use]
    pub fn to_header_value(&self) -> HeaderValue {
        let mut value = String::with_capacity(self.text.len() + 4);
        value.extend([if self.is_weak { "W/\"" } else { "\"" }, &self.text, "\""]);
        HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("W/\"\""))
    }

    /// Returns the part of the tag that identifies the state, without the variant and the content coding.
    fn state(&self) -> &str {
        self.text.split_once(';').map_or(self.text.as_str(), |(state, _)| state)
    }

    /// Returns the state and the variant of the tag as a string, without the content coding.
    fn representation(&self) -> &str {
        // The coding is the last part of every tag that this service creates. Other tags have no coding.
        let before = self.coding().and_then(|coding| self.text.strip_suffix(coding)?.strip_suffix(';'));
        before.unwrap_or(&self.text)
    }

    /// Parses a tag at the start of a string. Returns the tag and the rest of the string.
    fn parse_first(text: &str) -> Option<(Self, &str)> {
        let (is_weak, quoted) = text.strip_prefix("W/").map_or((false, text), |quoted| (true, quoted));
        let (tag, rest) = quoted.strip_prefix('"')?.split_once('"')?;
        let is_valid = !tag.chars().any(|character| character.is_ascii_control() || character == ' ');
        is_valid.then(|| (Self { text: tag.to_owned(), is_weak }, rest))
    }
}

impl Display for EntityTag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\"{}\"", if self.is_weak { "W/" } else { "" }, self.text)
    }
}

/// The regular expression for `If-Match` and `If-None-Match` in the OpenAPI document. The parser also accepts empty
/// elements, spaces around the list and non-ASCII characters.
pub(super) const LIST: &str = r#"^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$"#;

/// The value of `If-Match` or `If-None-Match`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TagList {
    /// `*` matches any existing state.
    Any,
    Tags(Vec<EntityTag>),
}

impl TagList {
    /// Parses the header `name`, which may occur several times. Returns `None` if the header is missing.
    pub(super) fn read(request: &HttpRequest, name: &HeaderName) -> Option<Result<Self, MalformedTags>> {
        request.header_bytes(name)?;
        let lines = request.header_values(name).into_iter().map(String::from_utf8);
        let text = lines.collect::<Result<Vec<_>, _>>().map(|lines| lines.join(","));
        Some(text.ok().and_then(|text| Self::parse(&text)).ok_or(MalformedTags))
    }

    fn parse(text: &str) -> Option<Self> {
        let is_space = |character: char| character == ' ' || character == '\t';
        if text.trim_matches(is_space) == "*" {
            return Some(Self::Any);
        }
        let mut tags = Vec::new();
        let mut rest = text.trim_start_matches(is_space);
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(',') {
                // Empty elements are allowed (RFC 9110, section 5.6.1.2).
                rest = after.trim_start_matches(is_space);
                continue;
            }
            let (tag, after) = EntityTag::parse_first(rest)?;
            tags.push(tag);
            rest = after.trim_start_matches(is_space);
            if !rest.is_empty() && !rest.starts_with(',') {
                return None;
            }
        }
        (!tags.is_empty()).then_some(Self::Tags(tags))
    }

    /// Returns `true` if one of the tags matches the current state.
    pub(super) fn names(&self, current: Option<&EntityTag>, compare: impl Fn(&EntityTag, &EntityTag) -> bool) -> bool {
        current.is_some_and(|current| self.find(current, compare).is_some())
    }

    /// Returns the first tag that matches the current state.
    pub(super) fn find<'t>(
        &'t self,
        current: &'t EntityTag,
        compare: impl Fn(&EntityTag, &EntityTag) -> bool,
    ) -> Option<&'t EntityTag> {
        match self {
            Self::Any => Some(current),
            Self::Tags(tags) => tags.iter().find(|tag| compare(tag, current)),
        }
    }
}

/// An error for a header that is neither `*` nor a list of tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MalformedTags;

impl MalformedTags {
    /// Returns a violation for the header with this name.
    pub(super) fn violation(self, name: &str) -> Violation {
        Violation::new(pointer_to(name), Code::FORMAT, "must be `*` or a list of entity tags such as `\"5\"`")
    }
}

#[cfg(test)]
mod tests {
    use restwright_schema::{Registry, SchemaObject, SchemaSide};

    use super::*;

    #[test]
    fn tags_are_written_and_parsed() {
        for (tag, expected) in [
            (EntityTag::strong(5), "\"5\""),
            (EntityTag::weak("a"), "W/\"a\""),
            (EntityTag::strong(""), "\"\""),
            (EntityTag::strong("a\"b;c%d e\u{e4}\n"), "\"a%22b%3Bc%25d%20e%C3%A4%0A\""),
            (EntityTag::strong(5).with_coding("gzip"), "\"5;gzip\""),
            (EntityTag::weak(5).with_coding("gzip").with_coding("br"), "W/\"5;br\""),
            (EntityTag::strong(5).with_variant("a b"), "\"5;~a%20b\""),
            (EntityTag::strong(5).with_variant("a").with_coding("gzip").with_coding("br"), "\"5;~a;br\""),
        ] {
            assert_eq!(tag.to_string(), expected);
            assert_eq!(tag.to_header_value(), expected);
            assert_eq!(EntityTag::parse(expected), Some(tag));
        }
        for text in ["", "5", "\"5", "5\"", "w/\"5\"", "W/5", "\"5\" ", "\"5\"\"", "\"a b\"", "\"a\u{7f}\"", "*"] {
            assert_eq!(EntityTag::parse(text), None, "{text}");
        }
    }

    /// Tests the comparisons in the table of RFC 9110, section 8.8.3.2.
    #[test]
    fn tags_are_compared() {
        for (one, other, strongly, weakly) in [
            ("W/\"1\"", "W/\"1\"", false, true),
            ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true),
            ("\"1\"", "\"1\"", true, true),
            ("\"1\"", "\"1;gzip\"", true, true),
            ("\"1;br\"", "\"1;gzip\"", true, true),
            ("\"1\"", "\"2;gzip\"", false, false),
            ("\"1\"", "\"1-gzip\"", false, false),
            ("\"1;~a\"", "\"1;~a;gzip\"", true, true),
            ("\"1;~a\"", "\"1;~b\"", true, false),
            ("\"1;~a\"", "\"1\"", true, false),
            ("\"1;~a\"", "\"2;~a\"", false, false),
            ("\"1\"", "\"1;gzip;br\"", true, false),
            ("\"1;~a\"", "\"1;br;~a\"", true, false),
            ("\"\"", "\"1;;\u{e4}\"", false, false),
        ] {
            let [one, other] = [one, other].map(|text| EntityTag::parse(text).unwrap());
            assert_eq!((one.matches(&other), other.matches(&one)), (strongly, strongly), "{one} {other}");
            assert_eq!((one.matches_weakly(&other), other.matches_weakly(&one)), (weakly, weakly), "{one} {other}");
        }
    }

    #[test]
    fn lists_are_parsed() {
        let tags =
            |texts: &[&str]| Some(TagList::Tags(texts.iter().map(|text| EntityTag::parse(text).unwrap()).collect()));
        for (text, expected) in [
            ("*", Some(TagList::Any)),
            (" \t* ", Some(TagList::Any)),
            ("*\u{a0}", None),
            (" * ", Some(TagList::Any)),
            ("\"a\"", tags(&["\"a\""])),
            ("\"a\",W/\"b\" ,\t\"c,d\"", tags(&["\"a\"", "W/\"b\"", "\"c,d\""])),
            (", \"a\",, ", tags(&["\"a\""])),
            ("", None),
            (",", None),
            ("a", None),
            ("\"a\" \"b\"", None),
            ("\"a\", *", None),
            ("*, \"a\"", None),
            ("\"a", None),
        ] {
            assert_eq!(TagList::parse(text), expected, "{text}");
            let tags = expected.clone().filter(|expected| *expected != TagList::Any);
            assert_eq!(EntityTag::parse_list(text).map(TagList::Tags), tags, "{text}");
            assert!(expected.is_some() || !is_published(text), "{text}");
        }
        for text in ["*", "\"\"", "\"a\"", "W/\"a\"", "\"a\",\"b;gzip\"", "\"a,b\" ,\tW/\"~!\""] {
            assert!(is_published(text) && TagList::parse(text).is_some(), "{text}");
        }
    }

    fn is_published(text: &str) -> bool {
        let schema = Registry::new().compile(SchemaObject::string().pattern(LIST), SchemaSide::Input, None);
        schema.read_text::<String>(&[text.into()], 1).is_ok()
    }
}
