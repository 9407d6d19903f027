//! Parses `Accept-Encoding` (RFC 9110, section 12.5.3).

use http::header::ACCEPT_ENCODING;
use restwright_runtime::core::http::{HttpRequest, weight};

use super::ContentCoding;

/// The content codings that a client accepts, with their quality values in thousandths.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct AcceptedCodings {
    gzip: Option<u16>,
    brotli: Option<u16>,
    zstd: Option<u16>,
    identity: Option<u16>,
    /// The quality value of `*`, which applies to codings that `Accept-Encoding` does not name.
    others: Option<u16>,
}

impl AcceptedCodings {
    pub(super) fn read(request: &HttpRequest) -> Self {
        let mut accepted = Self::default();
        if request.header_bytes(&ACCEPT_ENCODING).is_some() {
            request.each_header(&mut |name, line| {
                if let Ok(line) = std::str::from_utf8(line)
                    && name == ACCEPT_ENCODING.as_str()
                {
                    accepted.add(line);
                }
            });
        }
        accepted
    }

    /// Adds the content codings of one `Accept-Encoding` line. Ignores malformed elements and repeated codings.
    fn add(&mut self, line: &str) {
        for element in line.split(',') {
            let (name, parameter) = element.split_once(';').unwrap_or((element, "q=1"));
            let Some(quality) = weight(parameter.trim_matches(SPACE)) else { continue };
            let name = name.trim_matches(SPACE);
            let place = match ContentCoding::from_name(name) {
                Some(ContentCoding::Gzip) => &mut self.gzip,
                Some(ContentCoding::Brotli) => &mut self.brotli,
                Some(ContentCoding::Zstd) => &mut self.zstd,
                None if name.eq_ignore_ascii_case("identity") => &mut self.identity,
                None if name == "*" => &mut self.others,
                None => continue,
            };
            place.get_or_insert(quality);
        }
    }

    fn quality_of(&self, coding: ContentCoding) -> u16 {
        let named = match coding {
            ContentCoding::Gzip => self.gzip,
            ContentCoding::Brotli => self.brotli,
            ContentCoding::Zstd => self.zstd,
        };
        named.or(self.others).unwrap_or(0)
    }

    pub(super) fn accepts(&self, coding: ContentCoding) -> bool {
        self.quality_of(coding) > 0
    }

    /// Returns the offered content coding with the highest quality value. Of equal codings, the first in `offered`
    /// wins. Returns `None` if the client prefers the uncompressed body, or accepts nothing. If `Accept-Encoding` does
    /// not name `identity`, the uncompressed body is accepted, but never preferred to a named coding (RFC 9110, section
    /// 12.5.3).
    pub(super) fn choose(&self, offered: &[ContentCoding]) -> Option<ContentCoding> {
        let mut best = (self.identity.unwrap_or(0).max(1), None);
        for coding in offered.iter().rev() {
            let quality = self.quality_of(*coding);
            if quality >= best.0 {
                best = (quality, Some(*coding));
            }
        }
        best.1
    }
}

const SPACE: [char; 2] = [' ', '\t'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coding_that_is_liked_most_is_chosen() {
        const ALL: [ContentCoding; 3] = [ContentCoding::Zstd, ContentCoding::Brotli, ContentCoding::Gzip];
        for (line, expected) in [
            // The client accepts no supported coding, so the body is not compressed.
            ("", ""),
            ("identity", ""),
            ("deflate, compress", ""),
            // The server decides between equal weights.
            ("gzip", "gzip"),
            ("gzip, deflate, br, zstd", "zstd"),
            ("gzip, deflate, br", "br"),
            ("gzip;q=0.5, br;q=0.5", "br"),
            ("*", "zstd"),
            // Weights.
            ("gzip;q=1.0, br;q=0.9, zstd;q=0.899", "gzip"),
            ("gzip;q=0.001", "gzip"),
            ("gzip;q=0.1, br;q=0.11", "br"),
            ("GZIP;Q=0.5", "gzip"),
            ("x-gzip", "gzip"),
            ("gzip ; q=0.5\t,\tbr ;q=0.6", "br"),
            // Rejected codings.
            ("gzip;q=0", ""),
            ("gzip;q=0.000, br", "br"),
            ("zstd;q=0, *", "br"),
            ("*;q=0", ""),
            ("*;q=0, gzip", "gzip"),
            ("gzip, *;q=0", "gzip"),
            // The uncompressed body.
            ("identity;q=0", ""),
            ("identity;q=0, gzip;q=0.001", "gzip"),
            ("identity;q=0, *;q=0.2", "zstd"),
            ("identity;q=0.5, gzip;q=0.4", ""),
            ("identity;q=0.5, gzip;q=0.5", "gzip"),
            ("identity, gzip", "gzip"),
            ("identity, *;q=0.9", ""),
            // Malformed elements are ignored.
            ("gzip;q=2, br", "br"),
            ("gzip;q=1.001, br", "br"),
            ("gzip;q=0.1234, br;q=0.1", "br"),
            ("gzip;q=-1", ""),
            ("gzip;q=", ""),
            ("gzip;q", ""),
            ("gzip;level=1", ""),
            ("gzip;q=1;q=0", ""),
            ("gzip;q=.5", ""),
            ("gzip;q=0.a", ""),
            ("gzip br", ""),
            (",, ,gzip,", "gzip"),
            (";", ""),
            ("=;q=1,*;q=", ""),
            // If a coding is named twice, the first counts.
            ("gzip;q=0, gzip", ""),
            ("gzip, x-gzip;q=0", "gzip"),
        ] {
            let mut accepted = AcceptedCodings::default();
            accepted.add(line);
            assert_eq!(accepted.choose(&ALL).map_or("", ContentCoding::name), expected, "{line}");
        }
        let mut accepted = AcceptedCodings::default();
        accepted.add("gzip, br;q=0.9, zstd");
        assert_eq!(accepted.choose(&[ContentCoding::Brotli]), Some(ContentCoding::Brotli));
        assert_eq!(accepted.choose(&[ContentCoding::Gzip, ContentCoding::Zstd]), Some(ContentCoding::Gzip));
        assert_eq!(accepted.choose(&[]), None);
    }
}
