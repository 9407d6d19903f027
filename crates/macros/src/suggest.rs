//! Naming what a misspelt word was meant to be.

/// `unknown x attribute `min_lenght`; did you mean `min_length`? known: ..`
pub(crate) fn unknown(what: &str, found: &str, known: &[&str]) -> String {
    let guess = closest(found, known).map_or_else(String::new, |guess| format!(" did you mean `{guess}`?"));
    format!("unknown {what} `{found}`;{guess} known: {}", known.join(", "))
}

/// The known word that a few slips of the finger turn into `found`.
fn closest<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let distances = known.iter().map(|candidate| (distance(found, candidate), *candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + candidate.len() / 4).then_some(candidate)
}

/// How many characters have to be inserted, removed or replaced (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (index, left) in left.chars().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(right.chars()) {
            let replaced = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = replaced.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
