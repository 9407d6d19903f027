//! Suggests a known name for a misspelt name.

/// The maximum length in bytes of names that are compared.
const LONGEST: usize = 64;

/// Returns the known name that is most similar to `name`, or `None` if no name is similar enough. Upper and lower case are similar.
#[must_use]
pub fn closest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let similar = known.into_iter().filter(|known| known.len().max(name.len()) <= LONGEST);
    let name = name.to_ascii_lowercase();
    let distances = similar.map(|known| (strsim::levenshtein(&name, &known.to_ascii_lowercase()), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + known.len() / 4).then_some(known)
}
