//! Defines [`Format`], a named format for strings.

use std::fmt;

use crate::formats;

/// A named string format, published as `format` in the JSON Schema.
///
/// ```
/// use restwright_schema::{Format, string};
///
/// const EVEN: Format = Format::custom("even-length", |text| text.len() % 2 == 0);
/// let code = string("code").format(EVEN);
/// let link = string("link").format(Format::uri(&["https", "mailto"]));
/// ```
#[derive(Clone, Copy)]
pub struct Format(FormatRule);

#[derive(Clone, Copy)]
enum FormatRule {
    Email,
    Uri(&'static [&'static str]),
    Hostname,
    Ipv4,
    Ipv6,
    Base64,
    #[cfg(any(feature = "chrono", feature = "jiff"))]
    Abridged(&'static AbridgedFormat),
    Custom(&'static str, fn(&str) -> bool),
}

/// A format that lets clients leave out a part of a string, such as the seconds of a time.
#[cfg(any(feature = "chrono", feature = "jiff"))]
pub(crate) struct AbridgedFormat {
    pub(crate) name: &'static str,
    pub(crate) holds: fn(&str) -> bool,
    /// Returns a valid string with the missing part, or `None` if nothing is missing.
    pub(crate) completed: fn(&str) -> Option<String>,
    /// The published pattern, because the name of the format does not say what can be missing.
    pub(crate) pattern: &'static str,
}

impl Format {
    /// An email address (RFC 5321) in ASCII. It consists of a dot-atom of at most 64 characters, `@`, and a host name.
    pub const EMAIL: Self = Self(FormatRule::Email);
    /// An absolute `http` or `https` URI (RFC 3986).
    pub const URI: Self = Self(FormatRule::Uri(&["http", "https"]));
    /// A host name (RFC 1123) of at most 253 characters. Each label has at most 63 characters.
    pub const HOSTNAME: Self = Self(FormatRule::Hostname);
    /// An IPv4 address in dotted-decimal notation.
    pub const IPV4: Self = Self(FormatRule::Ipv4);
    /// An IPv6 address (RFC 4291) without a zone.
    pub const IPV6: Self = Self(FormatRule::Ipv6);
    /// Bytes in base64 with padding (RFC 4648, section 4). Each sequence of bytes has one spelling. It is published as
    /// `contentEncoding`.
    pub const BASE64: Self = Self(FormatRule::Base64);

    /// Creates a format that accepts absolute URIs (RFC 3986) with one of the given schemes, which are written in lower case
    /// here and in any case in values. It rejects any other scheme, such as `javascript`.
    ///
    /// A URI with the scheme `http` or `https` must contain a host.
    #[must_use]
    pub const fn uri(schemes: &'static [&'static str]) -> Self {
        Self(FormatRule::Uri(schemes))
    }

    /// Creates a custom format. `name` is its name in the OpenAPI document. `holds` returns `true` for valid strings.
    ///
    /// The function receives untrusted input. It must not panic, and its time should be linear in the length of the
    /// string.
    #[must_use]
    pub const fn custom(name: &'static str, holds: fn(&str) -> bool) -> Self {
        Self(FormatRule::Custom(name, holds))
    }

    #[cfg(any(feature = "chrono", feature = "jiff"))]
    pub(crate) const fn abridged(format: &'static AbridgedFormat) -> Self {
        Self(FormatRule::Abridged(format))
    }

    /// Returns the published name of the format.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.0 {
            FormatRule::Email => "email",
            FormatRule::Uri(_) => "uri",
            FormatRule::Hostname => "hostname",
            FormatRule::Ipv4 => "ipv4",
            FormatRule::Ipv6 => "ipv6",
            FormatRule::Base64 => "base64",
            #[cfg(any(feature = "chrono", feature = "jiff"))]
            FormatRule::Abridged(format) => format.name,
            FormatRule::Custom(name, _) => name,
        }
    }

    /// Returns `true` if the string matches the format.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        match self.0 {
            FormatRule::Email => formats::is_email(text),
            FormatRule::Uri(schemes) => formats::is_uri(text, schemes),
            FormatRule::Hostname => formats::is_hostname(text),
            FormatRule::Ipv4 => formats::is_ipv4(text),
            FormatRule::Ipv6 => formats::is_ipv6(text),
            FormatRule::Base64 => formats::is_base64(text),
            #[cfg(any(feature = "chrono", feature = "jiff"))]
            FormatRule::Abridged(format) => (format.holds)(text),
            FormatRule::Custom(_, holds) => holds(text),
        }
    }

    /// Returns a valid string with what clients left out, such as `12:30:00` for `12:30`. Returns `None` if nothing is missing.
    #[inline]
    pub(crate) fn completed(&self, text: &str) -> Option<String> {
        let _ = text;
        match self.0 {
            #[cfg(any(feature = "chrono", feature = "jiff"))]
            FormatRule::Abridged(format) => (format.completed)(text),
            _ => None,
        }
    }

    /// Returns the keyword of JSON Schema that contains the name.
    pub(crate) fn keyword(&self) -> &'static str {
        if let FormatRule::Base64 = self.0 { "contentEncoding" } else { "format" }
    }

    /// Returns a pattern to publish in addition to `format`. The pattern excludes strings that the published format
    /// allows and this format rejects, or describes a format whose name is not enough.
    pub(crate) fn pattern(&self) -> Option<String> {
        match self.0 {
            // Excludes quoted local parts, and IP addresses in place of the host.
            FormatRule::Email => Some("^[^\"@]+@[^\\[@]+$".to_owned()),
            FormatRule::Base64 => Some(formats::BASE64_PATTERN.to_owned()),
            #[cfg(any(feature = "chrono", feature = "jiff"))]
            FormatRule::Abridged(format) => Some(format.pattern.to_owned()),
            FormatRule::Uri(schemes) => {
                let starts: Vec<_> = schemes.iter().copied().map(start_of_uri).collect();
                Some(format!("^(?:{})", starts.join("|")))
            }
            _ => None,
        }
    }
}

fn start_of_uri(scheme: &str) -> String {
    let any_case = |letter: char| match letter {
        'a'..='z' => format!("[{}{letter}]", letter.to_ascii_uppercase()),
        '.' | '+' => format!("\\{letter}"),
        other => other.to_string(),
    };
    let start: String = scheme.chars().map(any_case).collect();
    match scheme {
        "http" | "https" => format!("{start}://([^/?#@]*@)?[^/?#@:]+(:[^/?#@]*)?([/?#]|$)"),
        _ => format!("{start}:"),
    }
}

impl PartialEq for Format {
    /// Compares the names of two formats, or the schemes of two URI formats.
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (FormatRule::Uri(left), FormatRule::Uri(right)) => left == right,
            _ => self.name() == other.name(),
        }
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Format({})", self.name())
    }
}
