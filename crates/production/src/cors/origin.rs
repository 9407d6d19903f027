//! Parses and compares origins in the ASCII form that browsers send (RFC 6454, section 6.2).

use std::net::{Ipv4Addr, Ipv6Addr};

use http::HeaderValue;

/// An allowed origin, or all subdomains of an origin. Origins are compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AllowedOrigin {
    Exact(HeaderValue),
    /// The parts of an origin before and after the subdomain, such as `https://` and `.example.com:8443`.
    Subdomains(String, String),
}

const NULL: &str = "null";
const NO_ORIGIN: &str =
    "write a scheme, a host and, unless it is the default, a port, such as `https://shop.example.com`";

impl AllowedOrigin {
    /// The origin `null`, which sandboxed frames and local files send.
    pub(super) const NULL: Self = Self::Exact(HeaderValue::from_static(NULL));

    pub(super) fn exact(text: &str) -> Result<Self, String> {
        let OriginParts { scheme, host, port } = OriginParts::parse(text)?;
        let exact = HeaderValue::try_from(format!("{scheme}{host}{port}"));
        exact.map(Self::Exact).map_err(|_invalid| format!("`{text}` is not an origin; {NO_ORIGIN}"))
    }

    pub(super) fn subdomains(text: &str) -> Result<Self, String> {
        let OriginParts { scheme, host, port } = OriginParts::parse(text)?;
        if is_address(&host) {
            return Err(format!(
                "`{text}` has an IP address as its host, which has no subdomains; write `.allow_origin(\"{text}\")`"
            ));
        }
        Ok(Self::Subdomains(scheme, format!(".{host}{port}")))
    }

    /// Returns the given origin as a header value, or `None` if the origin is not allowed.
    pub(super) fn allowed(&self, origin: &str) -> Option<HeaderValue> {
        match self {
            Self::Exact(exact) => (exact == origin).then(|| exact.clone()),
            Self::Subdomains(scheme, domain) => {
                let labels = origin.strip_prefix(scheme.as_str()).and_then(|rest| rest.strip_suffix(domain.as_str()));
                labels.filter(|labels| are_labels(labels)).and_then(|_| HeaderValue::try_from(origin).ok())
            }
        }
    }
}

/// The parts of an origin in the form that browsers send.
struct OriginParts {
    /// The scheme, including `://`.
    scheme: String,
    host: String,
    /// The port, including the colon. Empty for the default port of the scheme.
    port: String,
}

impl OriginParts {
    /// Parses an origin in the form that browsers send. The error states what to write instead.
    fn parse(text: &str) -> Result<Self, String> {
        let parts = Self::normalise(text).map_err(|advice| format!("`{text}` is not an origin; {advice}"))?;
        let normal = format!("{}{}{}", parts.scheme, parts.host, parts.port);
        if normal == text {
            return Ok(parts);
        }
        Err(format!("`{text}` is not the form of the origin that browsers send; write `{normal}`"))
    }

    /// Parses an origin leniently, to suggest the correct form.
    fn normalise(text: &str) -> Result<Self, &'static str> {
        if !text.is_ascii() {
            return Err("write its host in the ASCII form that browsers send, with labels such as `xn--bcher-kva`");
        }
        if text.contains('*') {
            return Err("write `.allow_subdomains(\"https://example.com\")`, or `.allow_any_origin()`");
        }
        let text = text.trim().to_ascii_lowercase();
        if text == NULL {
            return Err("write `.allow_null_origin()`");
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", &text));
        let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let address = authority.rsplit('@').next().unwrap_or_default();
        let colon = address.rfind(':').filter(|colon| !address.get(*colon..).is_some_and(|end| end.contains(']')));
        let (host, port) = address.split_at(colon.unwrap_or(address.len()));
        let port = match port.strip_prefix(':') {
            Some(digits) if digits.starts_with('+') => None,
            Some(digits) => digits.parse::<u16>().ok().filter(|port| *port > 0).map(Some),
            None => Some(None),
        };
        match (is_scheme(scheme), normal_host(host), port) {
            (true, Some(host), Some(port)) => {
                let port = port.filter(|port| !matches!((scheme, port), ("http", 80) | ("https", 443)));
                let port = port.map(|port| format!(":{port}")).unwrap_or_default();
                Ok(Self { scheme: format!("{scheme}://"), host, port })
            }
            _ => Err(NO_ORIGIN),
        }
    }
}

/// Returns `true` if a string is a URI scheme (RFC 3986, section 3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.'))
}

/// Returns a host in the form that browsers send, or `None` if it is invalid.
fn normal_host(text: &str) -> Option<String> {
    if let Some(address) = text.strip_prefix('[') {
        let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        // The URL Standard writes the IPv4 part in hexadecimal.
        return Some(match (address.to_ipv4_mapped(), address.segments()) {
            (Some(_), [.., high, low]) => format!("[::ffff:{high:x}:{low:x}]"),
            (None, _) => format!("[{address}]"),
        });
    }
    let last = text.rsplit('.').next().unwrap_or_default();
    let is_host = if last.bytes().all(|byte| byte.is_ascii_digit()) { is_address(text) } else { are_labels(text) };
    (is_host && text.len() <= 253).then(|| text.to_owned())
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok()
}

fn are_labels(text: &str) -> bool {
    let is_letter = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    text.split('.').all(|label| (1..=63).contains(&label.len()) && label.bytes().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_what_browsers_send() {
        for origin in [
            "https://shop.example.com",
            "http://localhost",
            "http://localhost:3000",
            "https://shop.example.com:8443",
            "http://shop.example.com:443",
            "https://xn--bcher-kva.example",
            "https://a_b.example.com",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "http://[2001:db8::1]",
            "http://[::ffff:7f00:1]",
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            "capacitor://localhost",
        ] {
            assert_eq!(AllowedOrigin::exact(origin), Ok(AllowedOrigin::Exact(HeaderValue::from_static(origin))));
        }
    }

    #[test]
    fn the_error_says_what_to_write() {
        for (origin, advice) in [
            ("https://shop.example.com/", "write `https://shop.example.com`"),
            ("https://shop.example.com/cart?x#y", "write `https://shop.example.com`"),
            ("https://shop.example.com\\cart", "write `https://shop.example.com`"),
            ("shop.example.com", "write `https://shop.example.com`"),
            ("HTTPS://Shop.example.com", "write `https://shop.example.com`"),
            ("https://shop.example.com:443", "write `https://shop.example.com`"),
            ("http://shop.example.com:80", "write `http://shop.example.com`"),
            ("http://shop.example.com:08080", "write `http://shop.example.com:8080`"),
            ("https://ann@shop.example.com:8443/x", "write `https://shop.example.com:8443`"),
            (" https://shop.example.com", "write `https://shop.example.com`"),
            ("http://[0:0::1]", "write `http://[::1]`"),
            ("http://[::ffff:127.0.0.1]", "write `http://[::ffff:7f00:1]`"),
            ("https://*.example.com", "write `.allow_subdomains(\"https://example.com\")`, or `.allow_any_origin()`"),
            ("https://shop.*.com", "write `.allow_subdomains(\"https://example.com\")`, or `.allow_any_origin()`"),
            ("*", "write `.allow_subdomains(\"https://example.com\")`, or `.allow_any_origin()`"),
            ("null", "write `.allow_null_origin()`"),
            ("https://bücher.example", "with labels such as `xn--bcher-kva`"),
            ("", NO_ORIGIN),
            ("https://", NO_ORIGIN),
            ("file:///index.html", NO_ORIGIN),
            ("mailto:ann@example.com", "write `https://example.com`"),
            ("1http://shop.example.com", NO_ORIGIN),
            ("https://shop..example.com", NO_ORIGIN),
            ("https://.example.com", NO_ORIGIN),
            ("https://shop.example.com.", NO_ORIGIN),
            ("https://shop example.com", NO_ORIGIN),
            ("https://shop.example.com:", NO_ORIGIN),
            ("https://shop.example.com:0", NO_ORIGIN),
            ("https://shop.example.com:65536", NO_ORIGIN),
            ("https://shop.example.com:+80", NO_ORIGIN),
            ("https://a,https://b", NO_ORIGIN),
            ("http://1.2.3", NO_ORIGIN),
            ("http://127.0.0.01", NO_ORIGIN),
            ("http://[::1", NO_ORIGIN),
            ("http://::1", NO_ORIGIN),
        ] {
            for error in [AllowedOrigin::exact(origin), AllowedOrigin::subdomains(origin)].map(Result::unwrap_err) {
                assert!(error.starts_with(&format!("`{origin}` is not")), "{error}");
                assert!(error.ends_with(advice), "{error}");
            }
        }
        for address in ["http://127.0.0.1", "http://[::1]:8080"] {
            let error = AllowedOrigin::subdomains(address).unwrap_err();
            assert!(error.ends_with(&format!("write `.allow_origin(\"{address}\")`")), "{error}");
        }
    }

    #[test]
    fn subdomains_are_anchored() {
        let standard = AllowedOrigin::subdomains("https://example.com").unwrap();
        let with_port = AllowedOrigin::subdomains("http://example.com:8080").unwrap();
        for (origin, standard_allows, with_port_allows) in [
            ("https://a.example.com", true, false),
            ("https://a.b-c.example.com", true, false),
            ("http://a.example.com:8080", false, true),
            ("https://example.com", false, false),
            ("http://example.com:8080", false, false),
            ("https://aexample.com", false, false),
            ("https://.example.com", false, false),
            ("https://a..example.com", false, false),
            ("http://a.example.com", false, false),
            ("https://a.example.com:8080", false, false),
            ("https://a.example.com.evil.com", false, false),
            ("https://evil.com/.example.com", false, false),
            ("https://evil.com:80.example.com", false, false),
            ("https://evil.com@a.example.com", false, false),
            ("https://A.example.com", false, false),
            ("https://a.example.com/", false, false),
            ("null", false, false),
            ("", false, false),
        ] {
            assert_eq!(standard.allowed(origin).is_some(), standard_allows, "{origin}");
            assert_eq!(with_port.allowed(origin).is_some(), with_port_allows, "{origin}");
        }
    }
}
