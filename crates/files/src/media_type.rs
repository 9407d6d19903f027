//! Guesses the media type of a file from its name.

use std::path::Path;

use http::HeaderValue;

/// The media type of a file with an unknown extension.
pub(crate) const UNKNOWN: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Returns the media type for the extension of a file. The types of text are in UTF-8.
pub(crate) fn media_type(path: &Path) -> HeaderValue {
    let Some(media_type) = mime_guess::from_path(path).first_raw() else { return UNKNOWN };
    let value = match media_type {
        // RFC 9239, section 6.
        "application/javascript" => Ok(HeaderValue::from_static("text/javascript; charset=utf-8")),
        text if text.starts_with("text/") && !text.contains(';') => {
            HeaderValue::try_from(format!("{text}; charset=utf-8"))
        }
        other => HeaderValue::try_from(other),
    };
    value.unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions() {
        for (name, expected) in [
            ("a.HTML", "text/html; charset=utf-8"),
            ("a.js", "text/javascript; charset=utf-8"),
            ("a.mjs", "text/javascript; charset=utf-8"),
            ("a.css", "text/css; charset=utf-8"),
            ("a.json", "application/json"),
            ("a.svg", "image/svg+xml"),
            ("a.png", "image/png"),
            ("a.webp", "image/webp"),
            ("a.avif", "image/avif"),
            ("a.mp4", "video/mp4"),
            ("a.wasm", "application/wasm"),
            ("a.woff2", "font/woff2"),
            ("a.pdf", "application/pdf"),
            ("a.unknown", "application/octet-stream"),
            ("a", "application/octet-stream"),
            (".html", "application/octet-stream"),
        ] {
            assert_eq!(media_type(Path::new(name)), expected, "{name}");
        }
    }
}
