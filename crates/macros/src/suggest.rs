//! Suggests a known word for a misspelt word in an error message.

/// Returns an error message for an unknown word, such as ``unknown x attribute `min_lenght`; did you mean
/// `min_length`?``.
pub(crate) fn unknown(what: &str, found: &str, known: &[&str]) -> String {
    let guess = closest(found, known).map_or_else(String::new, |guess| format!(" did you mean `{guess}`?"));
    format!("unknown {what} `{found}`;{guess} known: {}", known.join(", "))
}

/// Returns the known word that is closest to `found`, if it is similar enough.
fn closest<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let distances = known.iter().map(|candidate| (distance(found, candidate), *candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + candidate.len() / 4).then_some(candidate)
}

/// Returns the Levenshtein distance of two strings, the minimum number of characters to insert, delete or replace.
fn distance(one: &str, other: &str) -> usize {
    // The distances from the characters read so far to each prefix of the other string.
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (position, left) in one.chars().enumerate() {
        let mut diagonal = position;
        let mut before = position + 1;
        let (first, rest) = row.split_at_mut(1);
        first.fill(before);
        for (above, right) in rest.iter_mut().zip(other.chars()) {
            before = (before + 1).min(*above + 1).min(diagonal + usize::from(left != right));
            diagonal = std::mem::replace(above, before);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (one, other, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("äb", "b", 1),
            ("ab", "ba", 2),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn slips_are_recognised() {
        let known = ["min_length", "max_length", "minimum", "pattern"];
        for (found, expected) in [
            ("min_lenght", Some("min_length")),
            ("maxlength", Some("max_length")),
            ("minimun", Some("minimum")),
            ("regex", None),
            ("", None),
        ] {
            assert_eq!(closest(found, &known), expected, "{found}");
        }
    }
}
