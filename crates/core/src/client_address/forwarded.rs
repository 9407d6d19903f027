//! Contains parsers for `X-Forwarded-For` and `Forwarded` (RFC 7239) that read hops from right to left.
//!
//! A proxy appends its hop to the value that it received, often on the same line. A line is therefore split from its
//! end, and as bytes. Bytes that a client wrote at the front cannot change the hops of proxies.
//!
//! Common parsers of header lists split from the left. An unclosed quote of the client would then hide the rest.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns the hops of `X-Forwarded-For`, starting with the last hop. A hop that is not an address is `None`.
pub(super) fn x_forwarded_for(value: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    value.rsplit(|byte| *byte == b',').map(address)
}

/// Returns the hops of `Forwarded` (RFC 7239), starting with the last hop. A hop that is hidden, unknown or not an
/// address is `None`.
pub(super) fn forwarded(value: &[u8]) -> impl Iterator<Item = Option<IpAddr>> {
    FromTheRight::new(value, b',').map(|element| {
        let mut node = None;
        for pair in FromTheRight::new(element?, b';') {
            let mut parts = pair?.splitn(2, |byte| *byte == b'=');
            let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
            // A parameter must not occur twice (RFC 7239, section 4). Such a hop is ignored.
            if name.trim_ascii().eq_ignore_ascii_case(b"for") && node.replace(value.trim_ascii()).is_some() {
                return None;
            }
        }
        address(unquoted(node?))
    })
}

/// Parses an address with an optional port. An IPv6 address with a port is in brackets (RFC 7239, section 6).
fn address(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop.trim_ascii()).ok()?;
    let found: Option<IpAddr> = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (address, rest) = bracketed.split_once(']')?;
            let address: Ipv6Addr = address.parse().ok()?;
            (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port)).then_some(address.into())
        }
        None => text.parse().ok().or_else(|| {
            let (address, port) = text.split_once(':')?;
            let address: Ipv4Addr = address.parse().ok()?;
            is_port(port).then_some(address.into())
        }),
    };
    found.map(|address| address.to_canonical())
}

/// Returns `true` if the string is a port number or an obfuscated port (RFC 7239, section 6.3).
fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(hidden) => {
            !hidden.is_empty() && hidden.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        }
        None => (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text)
}

/// An iterator over the elements of a header value, starting with the last element. Quoted strings may contain the
/// separator (RFC 9110, section 5.6.4). A closing quote without an opening quote yields `None` and ends the list.
struct FromTheRight<'v> {
    rest: Option<&'v [u8]>,
    separator: u8,
}

impl<'v> FromTheRight<'v> {
    fn new(value: &'v [u8], separator: u8) -> Self {
        Self { rest: Some(value), separator }
    }
}

impl<'v> Iterator for FromTheRight<'v> {
    type Item = Option<&'v [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = self.rest.take()?;
        let mut end = value.len();
        while let Some(at) = value.get(..end)?.iter().rposition(|byte| *byte == self.separator || *byte == b'"') {
            let before = value.get(..at)?;
            if value.get(at) == Some(&self.separator) {
                self.rest = Some(before);
                return Some(value.get(at + 1..));
            }
            match opening_quote(before) {
                Some(opening) => end = opening,
                None => return Some(None),
            }
        }
        Some(Some(value))
    }
}

/// Returns the position of the last quote in the argument `before`, ignoring quotes that a backslash escapes. `before`
/// ends directly before a closing quote, so the returned position is its opening quote.
fn opening_quote(mut before: &[u8]) -> Option<usize> {
    loop {
        let quote = before.iter().rposition(|byte| *byte == b'"')?;
        before = before.get(..quote)?;
        let escapes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == 0 {
            return Some(quote);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(hops: impl Iterator<Item = Option<IpAddr>>) -> Vec<String> {
        hops.map(|hop| hop.map_or_else(|| "-".to_owned(), |address| address.to_string())).collect()
    }

    #[test]
    fn x_forwarded_for_is_read_from_the_right() {
        for (value, expected) in [
            ("203.0.113.7", "203.0.113.7"),
            ("1.1.1.1, 2.2.2.2,3.3.3.3", "3.3.3.3 2.2.2.2 1.1.1.1"),
            (
                "2001:db8::1, [2001:db8::2], [2001:db8::3]:443, 4.4.4.4:80",
                "4.4.4.4 2001:db8::3 2001:db8::2 2001:db8::1",
            ),
            ("::ffff:1.2.3.4", "1.2.3.4"),
            ("1.1.1.1:x, [1.1.1.1], [::1]x, [::1", "- - - -"),
            ("unknown, , 1.1.1.1", "1.1.1.1 - -"),
            ("", "-"),
        ] {
            assert_eq!(texts(x_forwarded_for(value.as_bytes())).join(" "), expected, "{value}");
        }
    }

    #[test]
    fn forwarded_is_read_from_the_right() {
        for (value, expected) in [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("for=192.0.2.43, FOR=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17 192.0.2.43"),
            ("for=\"_gazonk\", for=unknown, for=_SEVKISEK", "- - -"),
            ("proto=https", "-"),
            ("for=1.1.1.1;for=2.2.2.2", "-"),
            ("host=\"a,b;c\\\",for=9.9.9.9\";for=1.1.1.1", "1.1.1.1"),
            ("for=\"192.0.2.1:_p\", for=\"[2001:db8::1]:_a.b-c_\"", "2001:db8::1 192.0.2.1"),
            ("for=\"192.0.2.1:_\", for=\"192.0.2.1:123456\", for=\"[::1]:_p!\"", "- - -"),
            ("for=1.1.1.1; ;proto=http;", "1.1.1.1"),
            ("for=1.1.1.1, by=\"unclosed, for=2.2.2.2", "2.2.2.2 -"),
            ("for=1.1.1.1;by=\"\\\\\", for=2.2.2.2", "2.2.2.2 1.1.1.1"),
        ] {
            assert_eq!(texts(forwarded(value.as_bytes())).join(" "), expected, "{value}");
        }
    }

    proptest! {
        /// Checks that the parsers ignore all bytes before the hop that the proxy appended. Clients can send these
        /// bytes.
        #[test]
        fn ignores_entries_that_a_client_wrote(
            written in prop_oneof!["[\"\\\\,;=for1. ]{0,40}".prop_map(String::into_bytes), prop::collection::vec(any::<u8>(), 0..40)],
        ) {
            for (appended, expected) in [
                ("203.0.113.7", "203.0.113.7"),
                ("2001:db8::7", "2001:db8::7"),
            ] {
                let value = [&*written, b", ", appended.as_bytes()].concat();
                let hop = x_forwarded_for(&value).next().unwrap();
                prop_assert_eq!(hop, Some(expected.parse().unwrap()));
            }
            for appended in ["for=203.0.113.7", "for=\"203.0.113.7:_p\";host=\"a,\\\";for=1.1.1.1\"", "proto=http;For=203.0.113.7;by=_x"] {
                let value = [&*written, b", ", appended.as_bytes()].concat();
                prop_assert_eq!(forwarded(&value).next().unwrap(), Some("203.0.113.7".parse().unwrap()));
            }
        }
    }
}
