//! The hops that proxies write down, read from the right.

use std::net::{IpAddr, SocketAddr};

/// The hops of `X-Forwarded-For`, the last first; `None` for one that is no address.
pub(super) fn x_forwarded_for(value: &str) -> impl Iterator<Item = Option<IpAddr>> {
    value.rsplit(',').map(|hop| address(hop.trim()))
}

/// The hops of `Forwarded` (RFC 7239), the last first; `None` for one that is hidden, unknown or no address.
pub(super) fn forwarded(value: &str) -> impl Iterator<Item = Option<IpAddr>> {
    split_outside_quotes(value, ',').into_iter().rev().map(|element| {
        let pairs = split_outside_quotes(element, ';');
        let mut nodes = pairs.iter().filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            name.trim().eq_ignore_ascii_case("for").then_some(value.trim())
        });
        let node = nodes.next()?;
        // A parameter must not occur twice; whoever sends it so says nothing.
        if nodes.next().is_some() { None } else { address(unquoted(node)) }
    })
}

/// An address, with or without a port; an IPv6 address may stand in brackets (RFC 7239, section 6).
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let found = bare.unwrap_or(text).parse::<IpAddr>().ok();
    found.or_else(|| text.parse::<SocketAddr>().map(|address| address.ip()).ok()).map(|address| address.to_canonical())
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// Splits a list whose quoted strings may contain the separator (RFC 9110, section 5.6.4).
fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    let pieces = text.split(|character| {
        let separates = character == separator && !quoted;
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        separates
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
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
            ("unknown, , 1.1.1.1", "1.1.1.1 - -"),
            ("", "-"),
        ] {
            assert_eq!(texts(x_forwarded_for(value)).join(" "), expected, "{value}");
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
            ("for=1.1.1.1, by=\"unclosed, for=2.2.2.2", "- 1.1.1.1"),
        ] {
            assert_eq!(texts(forwarded(value)).join(" "), expected, "{value}");
        }
    }
}
