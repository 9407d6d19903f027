//! Looks up declared query parameters and suggests names for misspelt query parameters.

use crate::http::HttpRequest;
use crate::operation::ParameterLocation;

/// The names of the query parameters of an operation, including the shorter aliases of filters.
pub(super) struct DeclaredQuery<'r>(Vec<&'r str>);

/// The maximum length in bytes of names that are compared for suggestions.
const LONGEST: usize = 64;

impl<'r> DeclaredQuery<'r> {
    /// Returns the names of the query parameters that the caller may see.
    pub(super) fn of(request: &'r HttpRequest, is_visible: impl Fn(&str) -> bool) -> Self {
        let parameters = request.route().map_or(&[][..], |route| &route.operation().parameters);
        let declared = parameters.iter().filter(|parameter| parameter.location == ParameterLocation::Query);
        let names = declared.flat_map(|one| std::iter::once(one.name.as_str()).chain(one.flat.as_deref()));
        Self(names.filter(|name| is_visible(name)).collect())
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Returns the declared name that is most similar to `name`, or `None` if no name is similar enough.
    pub(super) fn closest(&self, name: &str) -> Option<&'r str> {
        let similar = self.0.iter().filter(|known| known.len().max(name.len()) <= LONGEST);
        let distances = similar.map(|known| (distance(name, known), *known));
        let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
        (distance <= 1 + known.len() / 4).then_some(known)
    }
}

/// Returns the edit distance between two names, which is the number of characters to add, remove or replace.
fn distance(one: &str, other: &str) -> usize {
    // The distances from the prefix of `one` to each prefix of `other`.
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
