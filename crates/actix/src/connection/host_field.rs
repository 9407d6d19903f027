//! Validates the `Host` header (RFC 9112, section 3.2).

use std::net::Ipv6Addr;

/// Returns whether a `Host` value is valid. It is empty, or consists of a host and an optional port (RFC 3986, sections
/// 3.2.2 and 3.2.3).
pub(super) fn is_valid(value: &[u8]) -> bool {
    after_host(value) == Some(&[])
}

/// Returns the rest of the string after a host and an optional port. Returns `None` if the string does not start with a
/// host.
pub(super) fn after_host(text: &[u8]) -> Option<&[u8]> {
    let port = match text {
        [b'[', literal @ ..] => {
            let end = literal.iter().position(|byte| *byte == b']')?;
            let (address, port) = literal.split_at_checked(end)?;
            is_address(address).then_some(port.get(1..)?)?
        }
        _ => after_name(text)?,
    };
    let [b':', digits @ ..] = port else { return Some(port) };
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(end..)
}

fn is_address(literal: &[u8]) -> bool {
    match literal {
        [b'v' | b'V', version, b'.', rest @ ..] => {
            let is_allowed = |byte: &u8| *byte == b':' || is_of_name(*byte);
            version.is_ascii_hexdigit() && !rest.is_empty() && rest.iter().all(is_allowed)
        }
        _ => std::str::from_utf8(literal).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok()),
    }
}

/// Returns the rest of the string after a registered name (`reg-name` in RFC 3986). Returns `None` if a `%` is not
/// followed by two hexadecimal digits.
fn after_name(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let end = text.iter().position(|byte| !is_of_name(*byte)).unwrap_or(text.len());
        text = match text.get(end..)? {
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [b'%', ..] => return None,
            rest => return Some(rest),
        }
    }
}

/// Returns whether a byte may occur in a registered name without percent-encoding. The byte must be unreserved or a
/// sub-delimiter.
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
