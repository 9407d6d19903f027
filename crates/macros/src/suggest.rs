//! Suggests a known word for a misspelt word in an error message.

/// Returns an error message for an unknown word, such as ``unknown x attribute `min_lenght`; did you mean
/// `min_length`?``.
pub(crate) fn unknown(what: &str, found: &str, known: &[&str]) -> String {
    let guess = closest(found, known).map_or_else(String::new, |guess| format!(" did you mean `{guess}`?"));
    format!("unknown {what} `{found}`;{guess} known: {}", known.join(", "))
}

/// Returns the known word that is closest to `found`, if it is similar enough.
fn closest<'k>(found: &str, known: &[&'k str]) -> Option<&'k str> {
    let distances = known.iter().map(|candidate| (strsim::levenshtein(found, candidate), *candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + candidate.len() / 4).then_some(candidate)
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
    }
}
