//! Parses the cookies of a request (RFC 6265, section 4.2).

/// Splits a `Cookie` header line into cookies. Names and values are bytes, so an invalid cookie does not affect the
/// others.
pub(super) fn pairs(line: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    line.split(|byte| *byte == b';').filter_map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = pair.split_at_checked(equals)?;
        Some((name.trim_ascii(), unquoted(value.strip_prefix(b"=")?.trim_ascii())))
    })
}

/// Removes the optional quotes around a cookie value (RFC 6265, section 4.1.1).
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
}
