//! Computes the line-by-line difference between two strings.

use std::time::Duration;

use similar::TextDiff;

/// The time limit for finding the smallest difference.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the difference between two strings in the unified format, with removed (`-`) and added (`+`) lines and their
/// context.
pub(crate) fn difference(old: &str, new: &str) -> String {
    let difference = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    difference.unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

#[cfg(test)]
mod tests {
    use super::difference;

    fn lines(range: std::ops::RangeInclusive<u32>) -> String {
        range.map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn changes_are_shown_with_their_context() {
        let old = lines(1..=20);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n15\n", "\n").replace("\n16\n", "\n16\nand\n");
        let expected = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
                        @@ -12,8 +12,8 @@\n 12\n 13\n 14\n-15\n 16\n+and\n 17\n 18\n 19\n";
        assert_eq!(difference(&old, &new), expected);
    }

    #[test]
    fn equal_texts_do_not_differ() {
        assert_eq!(difference(&lines(1..=9), &lines(1..=9)), "");
    }

    #[test]
    fn large_changes_are_shown_as_a_whole() {
        let shown = difference(&lines(1..=5_000), &lines(5_001..=10_000));
        assert_eq!(shown.lines().count(), 10_001);
    }
}
