//! Parses `Accept-Language` (RFC 9110, section 12.5.4).

use restwright_core::http::weight;

/// The maximum number of bytes of `Accept-Language` that are read. Ranges after these bytes are ignored.
const MOST_BYTES: usize = 1_024;

/// The maximum number of language ranges in `Accept-Language` that are read.
const MOST_RANGES: usize = 32;

/// The maximum length of a language range, in bytes. RFC 5646 (section 4.4.1) requires 35 for a tag without extensions.
const LONGEST_RANGE: usize = 64;

/// A language range from `Accept-Language`, with its quality value in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LanguageRange<'h> {
    pub(super) text: &'h str,
    pub(super) quality: u16,
}

/// Parses the language ranges of all `Accept-Language` lines, ordered by quality and then by position. Invalid ranges
/// are ignored.
pub(super) fn ranges(lines: super::HeaderLines<'_>) -> Vec<LanguageRange<'_>> {
    let mut bytes = 0;
    let mut ranges = Vec::new();
    'lines: for line in lines {
        for element in line.split(|byte| *byte == b',') {
            bytes += element.len() + 1;
            if bytes > MOST_BYTES || ranges.len() == MOST_RANGES {
                break 'lines;
            }
            ranges.extend(str::from_utf8(element).ok().and_then(range));
        }
    }
    ranges.sort_by_key(|range| std::cmp::Reverse(range.quality));
    ranges
}

fn range(element: &str) -> Option<LanguageRange<'_>> {
    let mut pieces = element.split(';').map(|piece| piece.trim_matches([' ', '\t']));
    let text = pieces.next().filter(|text| is_range(text))?;
    let quality = match pieces.next() {
        None => 1_000,
        Some(parameter) => weight(parameter)?,
    };
    pieces.next().is_none().then_some(LanguageRange { text, quality })
}

/// Returns `true` if a string is a basic language range (RFC 4647, section 2.1).
fn is_range(text: &str) -> bool {
    text == "*" || is_tag(text)
}

/// Returns `true` if a string has the form of a language tag. It must consist of subtags of 1 to 8 letters or digits,
/// and the first subtag must contain only letters.
pub(super) fn is_tag(text: &str) -> bool {
    let is_subtag = |(position, subtag): (usize, &str)| {
        let fits = |byte: u8| byte.is_ascii_alphabetic() || (position > 0 && byte.is_ascii_digit());
        (1..=8).contains(&subtag.len()) && subtag.bytes().all(fits)
    };
    text.len() <= LONGEST_RANGE && text.split('-').enumerate().all(is_subtag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &str) -> Vec<(String, u16)> {
        let lines = [header.as_bytes().to_vec()];
        ranges(&lines).iter().map(|range| (range.text.to_owned(), range.quality)).collect()
    }

    #[test]
    fn ranges_are_sorted_by_quality() {
        for (header, expected) in [
            ("", &[][..]),
            ("de", &[("de", 1_000)]),
            ("fr;q=0.3, de-AT ; q=0.9,en;Q=1.000,*;q=0", &[("en", 1_000), ("de-AT", 900), ("fr", 300), ("*", 0)]),
            ("a,b", &[("a", 1_000), ("b", 1_000)]),
            // Invalid ranges are ignored, and the others are read.
            ("de;q=2, ü, 1a, a--b, abcdefghi, -, de;q=0.1234, de;x=1, de;q=0.5;x, ,,fr;q=.5,es;q=0.", &[("es", 0)]),
            ("de_DE, zh-Hant-TW", &[("zh-Hant-TW", 1_000)]),
        ] {
            let expected: Vec<_> = expected.iter().map(|(text, quality)| ((*text).to_owned(), *quality)).collect();
            assert_eq!(read(header), expected, "{header}");
        }
    }

    #[test]
    fn reads_only_the_first_bytes_and_ranges_of_a_long_header() {
        assert_eq!(read(&"de,".repeat(100_000)).len(), MOST_RANGES);
        assert_eq!(read(&format!("{}, de", "x".repeat(MOST_BYTES))), []);
        assert_eq!(read(&format!("{}de", ",".repeat(MOST_BYTES))), []);
        assert_eq!(read(&format!("{}de", ",".repeat(1_000))).len(), 1);
        let lines = vec![b"de".to_vec(); 100_000];
        assert_eq!(ranges(&lines).len(), MOST_RANGES);
    }
}
