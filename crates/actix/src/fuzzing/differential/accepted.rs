//! Lists the differences from hyper that the differential test accepts.

use std::net::Ipv6Addr;

use super::{ParsedRequest, Reply, ServerDifference};

/// A kind of difference from hyper that the test accepts. `applies` also receives the raw bytes, because hyper drops
/// fields that it does not use.
pub(super) struct Accepted {
    pub(super) reason: &'static str,
    pub(super) applies: fn(&[u8], &ServerDifference<'_>) -> bool,
}

pub(super) const ACCEPTED: &[Accepted] = &[
    Accepted {
        reason: "RFC 9112, section 3.2: a request without one valid Host is rejected. hyper leaves that to the application.",
        applies: |_, difference| {
            difference.rejected().is_some_and(
                |request| !matches!(request.values("host").collect::<Vec<_>>()[..], [host] if is_host(host)),
            )
        },
    },
    Accepted {
        reason: "RFC 9112, section 6.1: a length next to a transfer coding may be request smuggling. hyper drops the length.",
        applies: |bytes, difference| {
            let rejected = difference.rejected();
            rejected.is_some_and(|request| request.has("transfer-encoding") && count(bytes, b"content-length") > 0)
        },
    },
    Accepted {
        reason: "RFC 9112, section 6.1: a coding other than chunked is not understood. hyper leaves it to the application.",
        applies: |_, difference| {
            difference.rejected().is_some_and(|request| {
                let codings: Vec<_> = request.values("transfer-encoding").collect();
                !codings.is_empty() && !matches!(codings[..], [coding] if coding.eq_ignore_ascii_case(b"chunked"))
            })
        },
    },
    Accepted {
        reason: "RFC 9110, section 8.6: several lengths are rejected even if they are equal. hyper uses one of them.",
        applies: |bytes, difference| {
            let rejected = difference.rejected();
            rejected.is_some_and(|request| request.has("content-length") && count(bytes, b"content-length") > 1)
        },
    },
    Accepted {
        reason: "RFC 1945, section 8.3: a POST in HTTP/1.0 has a length. hyper reads an empty body.",
        applies: |bytes, difference| {
            difference.rejected().is_some_and(|request| {
                request.method == "POST" && !request.has("content-length") && count(bytes, b"http/1.0") > 0
            })
        },
    },
    Accepted {
        reason: "A method with one of #$%&' is a token, which http 0.2 of actix-http does not accept. No registered method has one.",
        applies: |_, difference| {
            difference.rejected().is_some_and(|request| request.method.contains(['#', '$', '%', '&', '\'']))
        },
    },
    Accepted {
        reason: "RFC 3986, section 2: a target is ASCII. hyper accepts other characters, too.",
        applies: |_, difference| difference.rejected().is_some_and(|request| !request.target.is_ascii()),
    },
    Accepted {
        reason: "RFC 9112, section 3.2: a target has no fragment. hyper drops it.",
        applies: |bytes, difference| difference.rejected().is_some() && count(bytes, b"#") > 0,
    },
    Accepted {
        reason: "RFC 3986, section 6.2.2: a path is normalized. hyper leaves percent-encodings as they come.",
        applies: |_, difference| match (difference.part, difference.ours.0, difference.hyper.0) {
            ("target", Some(ours), Some(hyper)) => decoded(&ours.target) == decoded(&hyper.target),
            _ => false,
        },
    },
    Accepted {
        reason: "RFC 6585, section 5: more than 96 fields are a 431. hyper accepts up to 100.",
        applies: |bytes, difference| {
            let is_431 = difference.ours == (None, Some(Reply { status: 431, ..REJECTED }));
            // hyper drops repeated fields with the length of the body, so the lines are counted.
            is_431 && count(bytes, b"\n") > 96
        },
    },
    Accepted {
        reason: "hyper closes without a response where a client speaks HTTP/2.",
        applies: |bytes, difference| {
            difference.ours == (None, Some(REJECTED))
                && difference.hyper == (None, None)
                && count(bytes, b"pri * http/2.0") > 0
        },
    },
    Accepted {
        reason: "hyper closes after a body that does not come whole, without having announced it.",
        applies: |_, difference| {
            let responded = difference.responded();
            responded.is_some_and(|(request, ours, hyper)| {
                request.body.is_none() && ours == REJECTED && hyper == Reply { closes: false, ..REJECTED }
            })
        },
    },
    Accepted {
        reason: "RFC 9112, section 7.1: extensions and trailers are checked. hyper skips them.",
        applies: |bytes, difference| match (difference.ours.0, difference.hyper.0) {
            (Some(ParsedRequest { body: None, .. }), Some(request)) if request.has("transfer-encoding") => {
                let has_broken_chunks = |start: usize| behind_empty_line(&bytes[start..]).is_some_and(is_badly_chunked);
                difference.part == "body" && (0..bytes.len()).any(has_broken_chunks)
            }
            _ => false,
        },
    },
    Accepted {
        reason: "hyper rejects more than 100 trailers. This crate limits the bytes of framing and trailers.",
        applies: |bytes, difference| match (difference.ours.0, difference.hyper.0) {
            (Some(ParsedRequest { body: Some(_), .. }), Some(request @ ParsedRequest { body: None, .. })) => {
                request.has("transfer-encoding") && count(bytes, b":") > 100
            }
            _ => false,
        },
    },
    Accepted {
        reason: "What follows a CONNECT or a request to upgrade may be no request, so the connection closes.",
        applies: |_, difference| {
            difference.responded().is_some_and(|(request, ours, hyper)| {
                let upgrades = request.values("connection").any(|value| count(value, b"upgrade") > 0);
                (upgrades || request.method == "CONNECT" || request.has("upgrade"))
                    && ours == Reply { closes: true, ..hyper }
            })
        },
    },
];

/// The response to a malformed request head.
pub(super) const REJECTED: Reply = Reply { status: 400, closes: true };

/// Percent-decodes a request target.
fn decoded(target: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), target.as_bytes());
    while let [first, after @ ..] = rest {
        let digits =
            if *first == b'%' { target.get(target.len() - after.len()..).and_then(|text| text.get(..2)) } else { None };
        let byte =
            digits.filter(|digits| !digits.starts_with('+')).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

/// Counts the occurrences of `name` in `bytes`, ignoring case. `name` must be lower case.
fn count(bytes: &[u8], name: &[u8]) -> usize {
    bytes.windows(name.len()).filter(|part| part.eq_ignore_ascii_case(name)).count()
}

fn behind_empty_line(bytes: &[u8]) -> Option<&[u8]> {
    bytes.strip_prefix(b"\n\r\n").or_else(|| bytes.strip_prefix(b"\n\n"))
}

/// Returns whether the bytes start like a chunk but are not a valid chunked body (RFC 9112, section 7.1).
fn is_badly_chunked(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(u8::is_ascii_hexdigit)
        && !std::str::from_utf8(bytes).is_ok_and(|text| skip_chunks(text).is_some())
}

/// Returns the bytes that follow a chunked body, or `None` if the body is invalid.
fn skip_chunks(mut rest: &str) -> Option<&str> {
    let is_text = |text: &str| text.chars().all(|character| character == '\t' || !character.is_ascii_control());
    loop {
        let (line, after) = rest.split_once("\r\n")?;
        let (size, extension) = line.split_at(line.find(';').unwrap_or(line.len()));
        let size = usize::from_str_radix(size.trim_end_matches([' ', '\t']), 16).ok()?;
        is_text(extension).then_some(())?;
        rest = after;
        if size == 0 {
            break;
        }
        rest = after.split_at_checked(size)?.1.strip_prefix("\r\n")?;
    }
    loop {
        let (line, after) = rest.split_once("\r\n")?;
        if line.is_empty() {
            return Some(after);
        }
        let (name, value) = line.split_once(':')?;
        (http::HeaderName::from_bytes(name.as_bytes()).is_ok() && is_text(value)).then_some(())?;
        rest = after;
    }
}

/// Returns whether a value is empty or consists of a host and an optional port (RFC 9110, section 7.2).
fn is_host(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_literal = |host: &str| host.strip_suffix(']').is_some_and(|host| host.parse::<Ipv6Addr>().is_ok());
    match (text.strip_prefix('['), text.rsplit_once(':')) {
        (Some(host), _) if is_literal(host) => true,
        (Some(_), Some((host, port))) => host.strip_prefix('[').is_some_and(is_literal) && is_port(port),
        (Some(_), None) => false,
        (None, split) => {
            let (host, port) = split.unwrap_or((text, ""));
            is_port(port) && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte))
        }
    }
}
