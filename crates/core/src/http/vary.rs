//! Adds names to the header `Vary` (RFC 9110, section 12.5.5).

use http::HeaderValue;

/// Returns the value of `Vary` with the names of its lines and with `names`, which are separated by commas. Returns `None`
/// if the lines contain all names, or `*`.
#[must_use]
pub fn vary_with(lines: &[&[u8]], names: &[u8]) -> Option<HeaderValue> {
    let mut value = lines.join(&b", "[..]);
    let length = value.len();
    for name in names.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
        let mut known = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        if !known.any(|known| known == b"*" || known.eq_ignore_ascii_case(name)) {
            if !value.is_empty() {
                value.extend(b", ");
            }
            value.extend(name);
        }
    }
    if value.len() == length { None } else { HeaderValue::try_from(value).ok() }
}

#[cfg(test)]
mod tests {
    use super::vary_with;

    #[test]
    fn adds_the_names_that_are_missing() {
        for (lines, names, expected) in [
            (&[][..], "Origin", Some("Origin")),
            (&[""], "Origin", Some("Origin")),
            (&["Accept"], "Origin", Some("Accept, Origin")),
            (&["Accept", "Cookie"], "X-Api-Key, Authorization", Some("Accept, Cookie, X-Api-Key, Authorization")),
            (&["Accept, x-api-key"], "X-Api-Key,Authorization", Some("Accept, x-api-key, Authorization")),
            (&["Accept ,ORIGIN"], "Origin", None),
            (&["*"], "Origin", None),
        ] {
            let lines: Vec<_> = lines.iter().map(|line: &&str| line.as_bytes()).collect();
            let found = vary_with(&lines, names.as_bytes());
            assert_eq!(found.as_ref().map(|value| value.as_bytes()), expected.map(str::as_bytes), "{lines:?} {names}");
        }
    }
}
