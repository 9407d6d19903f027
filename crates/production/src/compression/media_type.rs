//! Detects the media types that are worth compressing.

/// The subtypes of `application` that are worth compressing.
const APPLICATION: [&str; 11] = [
    "json",
    "javascript",
    "xml",
    "ndjson",
    "x-ndjson",
    "yaml",
    "toml",
    "graphql",
    "x-www-form-urlencoded",
    "x-javascript",
    "json-seq",
];
/// The structured syntax suffixes of media types that are worth compressing (RFC 6838, section 4.2.8).
const SUFFIXES: [&str; 3] = ["json", "xml", "yaml"];

/// Returns `true` if bodies of this media type are worth compressing. Unknown and already compressed types are not.
pub(super) fn is_compressible(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let is_among = |names: &[&str], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    kind.eq_ignore_ascii_case("text")
        || kind.eq_ignore_ascii_case("application") && is_among(&APPLICATION, subtype)
        || subtype.rsplit_once('+').is_some_and(|(_, suffix)| is_among(&SUFFIXES, suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compressible() {
        for (content_type, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/problem+json", true),
            ("application/vnd.shop.v2+json ; q=1", true),
            ("application/javascript", true),
            ("application/x-ndjson", true),
            ("text/plain", true),
            ("text/event-stream", true),
            ("image/svg+xml", true),
            ("image/png", false),
            ("image/jpeg", false),
            ("video/mp4", false),
            ("audio/ogg", false),
            ("font/woff2", false),
            ("application/zip", false),
            ("application/gzip", false),
            ("application/zstd", false),
            ("application/pdf", false),
            ("application/octet-stream", false),
            ("application/epub+zip", false),
            ("application/jsonx", false),
            ("multipart/form-data; boundary=json", false),
            ("json", false),
            ("", false),
        ] {
            assert_eq!(is_compressible(content_type), expected, "{content_type}");
        }
    }
}
