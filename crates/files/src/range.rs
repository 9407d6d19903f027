//! Parses the header `Range` (RFC 9110, section 14).

use std::ops::Range;

/// The maximum number of ranges that a request may contain. A request with more ranges is rejected, because only an
/// attack sends so many (RFC 9110, section 17.15).
pub(crate) const MOST_RANGES: usize = 16;

/// The part of a file that a request selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selection {
    /// The whole file, because there is no valid range, or there are several.
    Whole,
    /// One range of bytes.
    Part(Range<u64>),
    /// No byte of the file is in a range, or there are too many ranges.
    Unsatisfiable,
}

/// Returns the part of a file of `length` bytes that the value of a `Range` header selects.
///
/// An invalid value, another unit and a list of up to [`MOST_RANGES`] ranges select the whole file, as RFC 9110,
/// section 14.2, permits.
pub(crate) fn select(value: &str, length: u64) -> Selection {
    let Some((unit, ranges)) = value.split_once('=') else { return Selection::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Selection::Whole;
    }
    let mut specified = ranges.split(',').map(str::trim).filter(|range| !range.is_empty());
    let Some(first) = specified.next() else { return Selection::Whole };
    match specified.count() {
        0 => one(first, length),
        others if others < MOST_RANGES => Selection::Whole,
        _ => Selection::Unsatisfiable,
    }
}

/// Evaluates one range such as `0-99`, `100-` or `-50`.
fn one(range: &str, length: u64) -> Selection {
    let Some((first, last)) = range.split_once('-') else { return Selection::Whole };
    match (position(first), position(last)) {
        (Some(Some(first)), Some(last)) if last.is_none_or(|last| first <= last) => {
            if first >= length {
                return Selection::Unsatisfiable;
            }
            let end = last.map_or(length, |last| last.saturating_add(1).min(length));
            Selection::Part(first..end)
        }
        (Some(None), Some(Some(0))) => Selection::Unsatisfiable,
        // An empty file has no byte that a response could name.
        (Some(None), Some(Some(_))) if length == 0 => Selection::Whole,
        (Some(None), Some(Some(suffix))) => Selection::Part(length.saturating_sub(suffix)..length),
        _ => Selection::Whole,
    }
}

/// Parses the digits of a position, which may be missing. A position above the range of `u64` is the largest `u64`.
/// Returns `None` if the text contains another character.
fn position(text: &str) -> Option<Option<u64>> {
    let text = text.trim();
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((!text.is_empty()).then(|| text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_of_ten_bytes() {
        use Selection::{Part, Unsatisfiable, Whole};
        let many = format!("bytes={}", ["0-0"; 17].join(","));
        for (value, expected) in [
            ("bytes=0-0", Part(0..1)),
            ("bytes=0-9", Part(0..10)),
            ("bytes=2-", Part(2..10)),
            ("bytes=9-99999999999999999999999", Part(9..10)),
            ("bytes=-3", Part(7..10)),
            ("bytes=-99", Part(0..10)),
            ("BYTES= 1 - 2 ", Part(1..3)),
            ("bytes=,1-2,", Part(1..3)),
            ("bytes=10-", Unsatisfiable),
            ("bytes=99999999999999999999999-", Unsatisfiable),
            ("bytes=-0", Unsatisfiable),
            ("bytes=0-1,5-6", Whole),
            (many.as_str(), Unsatisfiable),
            ("bytes=3-2", Whole),
            ("bytes=-", Whole),
            ("bytes=", Whole),
            ("bytes=a-b", Whole),
            ("bytes=+1-2", Whole),
            ("bytes=1--2", Whole),
            ("bytes", Whole),
            ("items=0-1", Whole),
            ("", Whole),
        ] {
            assert_eq!(select(value, 10), expected, "{value}");
        }
        for (value, expected) in [("bytes=0-", Unsatisfiable), ("bytes=-5", Whole), ("bytes=-0", Unsatisfiable)] {
            assert_eq!(select(value, 0), expected, "{value} of nothing");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_inside_the_file_and_not_empty(value in "bytes=[0-9,\\- ]{0,24}", length: u64) {
            if let Selection::Part(part) = select(&value, length) {
                prop_assert!(part.start < part.end && part.end <= length, "{part:?} of {length}");
            }
        }
    }
}
