//! The value of the field `Host` (RFC 9112, section 3.2).

use std::net::Ipv6Addr;

/// Returns whether a value is a host with or without a port, as RFC 3986 writes them; an empty one is.
pub(crate) fn is_valid(value: &[u8]) -> bool {
    let port = match value.strip_prefix(b"[") {
        Some(literal) => {
            let mut parts = literal.splitn(2, |byte| *byte == b']');
            match (parts.next(), parts.next()) {
                (Some(address), Some(port)) if is_address(address) => port,
                _ => return false,
            }
        }
        None => match after_name(value) {
            Some(port) => port,
            None => return false,
        },
    };
    match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn is_address(literal: &[u8]) -> bool {
    match literal {
        [b'v' | b'V', version, b'.', rest @ ..] => {
            version.is_ascii_hexdigit()
                && !rest.is_empty()
                && rest.iter().all(|byte| *byte == b':' || is_of_name(*byte))
        }
        _ => std::str::from_utf8(literal).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()),
    }
}

/// Returns what follows a registered name; `None` if it has a `%` that encodes nothing.
fn after_name(mut value: &[u8]) -> Option<&[u8]> {
    loop {
        value = match value {
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [b'%', ..] => return None,
            [byte, rest @ ..] if is_of_name(*byte) => rest,
            rest => return Some(rest),
        }
    }
}

/// Returns whether a byte stands for itself in a registered name: it is unreserved or a sub-delimiter.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_ports() {
        for value in [
            "",
            "t",
            "example.com",
            "example.com:8080",
            "127.0.0.1:",
            "a_b~c",
            "x%20y",
            "[::1]",
            "[::1]:80",
            "[v1.a:b]",
            ":80",
        ] {
            assert!(is_valid(value.as_bytes()), "{value}");
        }
        for value in [
            "a b", "a/b", "user@t", "t:80:80", "t:x", "a%2", "a%zz", "[::1", "[t]", "[::1]x", "::1", "t?", "t#",
            "\u{e4}", "a\"", "<t>",
        ] {
            assert!(!is_valid(value.as_bytes()), "{value}");
        }
    }
}
