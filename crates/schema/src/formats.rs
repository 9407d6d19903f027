//! Checks strings for the built-in formats of [`Format`](crate::Format), such as email addresses, URIs and host names.

use std::net::{Ipv4Addr, Ipv6Addr};

const LONGEST_LOCAL_PART: usize = 64;
const LONGEST_HOSTNAME: usize = 253;
const LONGEST_LABEL: usize = 63;

pub(crate) fn is_email(text: &str) -> bool {
    let at = text.bytes().take(LONGEST_LOCAL_PART + 1).position(|byte| byte == b'@');
    let Some((local, domain)) = at.and_then(|at| Some((text.get(..at)?, text.get(at + 1..)?))) else { return false };
    local.len() <= LONGEST_LOCAL_PART && are_atoms(local) && is_hostname(domain)
}

/// Returns `true` if the string is a dot-atom (RFC 5322, section 3.2.3), which consists of atoms separated by dots.
fn are_atoms(text: &str) -> bool {
    let mut after_dot = true;
    for byte in text.bytes() {
        if byte == b'.' && after_dot || byte != b'.' && !is_atom_byte(byte) {
            return false;
        }
        after_dot = byte == b'.';
    }
    !after_dot
}

/// Returns `true` if the byte belongs to `atext` (RFC 5322), which is printable ASCII without special characters.
fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(byte, b'"' | b'(' | b')' | b',' | b'.' | b':' | b';' | b'<' | b'>' | b'@' | b'[' | b'\\' | b']')
}

/// Returns `true` if the string is base64 with padding (RFC 4648, section 4), in the only spelling of its bytes.
pub(crate) fn is_base64(text: &str) -> bool {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let padding = text.len() - digits.len();
    let has_zero_bits = digits.bytes().last().is_none_or(|last| match padding {
        0 => true,
        1 => b"AEIMQUYcgkosw048".contains(&last),
        _ => b"AQgw".contains(&last),
    });
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.len().is_multiple_of(4) && has_zero_bits && digits.bytes().all(is_digit)
}

pub(crate) const BASE64_PATTERN: &str =
    "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$";

pub(crate) fn is_hostname(text: &str) -> bool {
    text.len() <= LONGEST_HOSTNAME && text.split('.').all(is_label)
}

/// Returns `true` if the string is a valid label of a host name. Hyphens in the third and fourth place are reserved for
/// encoded names (RFC 5891, section 4.2.3.1).
fn is_label(label: &str) -> bool {
    (1..=LONGEST_LABEL).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
        && (label.as_bytes().get(2..4) != Some(b"--")
            || label.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("xn")))
}

pub(crate) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

pub(crate) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Returns `true` if the string is a URI (RFC 3986) whose scheme is in `schemes`. The case of the scheme has no meaning (section 3.1).
pub(crate) fn is_uri(text: &str, schemes: &[&str]) -> bool {
    let is_known = |scheme: &str| schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme));
    text.split_once(':').is_some_and(|(scheme, rest)| is_known(scheme) && is_uri_of(scheme, rest))
}

/// Returns `true` if the string is a URI (RFC 3986).
#[cfg(feature = "url")]
pub(crate) fn is_absolute_uri(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    text.split_once(':').is_some_and(|(scheme, rest)| is_scheme(scheme) && is_uri_of(scheme, rest))
}

fn is_uri_of(scheme: &str, rest: &str) -> bool {
    let (rest, fragment) = cut(rest, '#');
    let (hierarchy, query) = cut(rest, '?');
    let (host, path) = match hierarchy.strip_prefix("//") {
        None => (None, hierarchy),
        Some(after) => {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            match host(authority) {
                None => return false,
                host => (host, path),
            }
        }
    };
    let needs_host = ["http", "https"].iter().any(|web| web.eq_ignore_ascii_case(scheme));
    (!needs_host || host.is_some_and(|host| !host.is_empty()))
        && consists_of(path, b":@/")
        && consists_of(query, b":@/?")
        && consists_of(fragment, b":@/?")
}

fn cut(text: &str, separator: char) -> (&str, &str) {
    text.split_once(separator).unwrap_or((text, ""))
}

/// Returns the host of an authority (RFC 3986, section 3.2), or `None` if the authority is malformed.
fn host(authority: &str) -> Option<&str> {
    let (user, host_and_port) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = if host_and_port.starts_with('[') {
        let (host, rest) = host_and_port.split_at(host_and_port.find(']')? + 1);
        let address = host.strip_prefix('[')?.strip_suffix(']')?;
        if !is_ipv6(address) {
            return None;
        }
        (host, if rest.is_empty() { "" } else { rest.strip_prefix(':')? })
    } else {
        let (host, port) = host_and_port.split_once(':').unwrap_or((host_and_port, ""));
        if !consists_of(host, b"") {
            return None;
        }
        (host, port)
    };
    (consists_of(user, b":") && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(host)
}

/// A table of the bytes that are unreserved characters or `sub-delims` (RFC 3986).
#[expect(clippy::indexing_slicing, reason = "it is evaluated when it is compiled")]
static ANYWHERE: [bool; 256] = {
    let mut allowed = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        allowed[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let marks = b"-._~!$&'()*+,;=";
    let mut index = 0;
    while index < marks.len() {
        allowed[marks[index] as usize] = true;
        index += 1;
    }
    allowed
};

/// Returns `true` if the string contains only unreserved characters, `sub-delims`, percent-encoded bytes, and the bytes
/// in `others`.
fn consists_of(text: &str, others: &[u8]) -> bool {
    let mut rest = text.as_bytes();
    loop {
        let is_plain = |byte: &u8| matches!(ANYWHERE.get(usize::from(*byte)), Some(true));
        // Checks blocks of bytes without branches, which is faster for long strings.
        let are_plain = |bytes: &&[u8]| bytes.iter().fold(true, |all, byte| all & is_plain(byte));
        let plain = rest.chunks_exact(16).take_while(are_plain).count() * 16;
        let plain = plain + rest.iter().skip(plain).take_while(|byte| is_plain(byte)).count();
        rest = match rest.get(plain..) {
            None | Some([]) => return true,
            Some([b'%', first, second, rest @ ..]) if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => rest,
            Some([byte, rest @ ..]) if others.contains(byte) => rest,
            Some(_) => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(holds: impl Fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(holds(text), "{text}");
        }
        for text in bad {
            assert!(!holds(text), "{text}");
        }
    }

    #[test]
    fn emails() {
        let long = format!("{}@example.com", "a".repeat(65));
        check(
            is_email,
            &[
                "a@b",
                "first.last+tag@example.com",
                "o'neil@example.co.uk",
                "a@xn--bcher-kva.example",
                "a@XN--BCHER-KVA.example",
            ],
            &[
                "",
                "@b",
                "a@",
                "a",
                "a@b@c",
                ".a@b",
                "a.@b",
                "a..b@c",
                "a b@c",
                "\"a\"@b",
                "a@[127.0.0.1]",
                "ä@b",
                "a@b.",
                "a@-b",
                "a@b\n",
                &long,
            ],
        );
    }

    #[test]
    fn hostnames() {
        let long = ["a".repeat(63).as_str(); 4].join(".");
        check(
            is_hostname,
            &["localhost", "example.com", "1.2.3", "a-b.c", "xn--bcher-kva", "XN--BCHER-KVA", "Xn--bcher-kva.example"],
            &["", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "ä", "ab--c", "a b", &"a".repeat(64), &long],
        );
    }

    #[test]
    fn addresses() {
        check(is_ipv4, &["127.0.0.1", "255.255.255.255"], &["", "256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4 ", "::1"]);
        check(
            is_ipv6,
            &["::1", "2001:db8::1", "::ffff:1.2.3.4"],
            &["", "1", ":::", "fe80::1%eth0", "12345::", "[::1]"],
        );
    }

    #[test]
    fn uris() {
        check(
            |text| is_uri(text, &["http", "https", "mailto"]),
            &[
                "http://example.com",
                "https://user:pw@example.com:8080/a/b;c?d=e/f?#g",
                "https://[2001:db8::1]:443/",
                "http://a/%20",
                "mailto:a@b",
                "HTTP://a",
                "hTTps://a/b",
                "MailTo:a@b",
            ],
            &[
                "",
                "http",
                "http:",
                "http://",
                "http:///a",
                "http://:80",
                "http://user@",
                "HTTP:///a",
                "JavaScript:alert(1)",
                "javascript:alert(1)",
                "ftp://a",
                "//a",
                "/a",
                "http://a b",
                "http://a/%2",
                "http://a/%zz",
                "http://a:b",
                "http://[::1",
                "http://[1]",
                "http://ä/",
                "http://a/\"",
                "http://a#b#c",
                "http://a[",
                "http://a@b@c",
                "http://a/\n",
            ],
        );
    }
}
