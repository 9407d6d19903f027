//! Defines [`Query`], the parsed query string of a request.

use std::cell::Cell;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::problem::{Problem, catalogue};

/// The name-value pairs of a query string, in order. They are decoded as `application/x-www-form-urlencoded` (`+` is a
/// space).
///
/// Reading a pair marks it as known. An unknown pair is an undeclared parameter, which a strict
/// [`Configuration`](crate::Configuration) rejects.
#[derive(Debug, Default)]
pub struct Query {
    /// The raw query string, followed by the decoded form of each encoded name and value.
    text: String,
    pairs: Vec<Pair>,
}

/// A name-value pair, stored as ranges of `text`.
#[derive(Debug)]
struct Pair {
    raw: Range<usize>,
    name: Range<usize>,
    value: Range<usize>,
    claimed: Cell<bool>,
}

impl Query {
    /// Parses a raw query string in linear time.
    ///
    /// # Errors
    /// 400 if a percent-encoded name or value is not UTF-8.
    pub fn parse(raw: Option<&str>) -> Result<Self, Problem> {
        let Some(raw) = raw.filter(|raw| !raw.is_empty()) else { return Ok(Self::default()) };
        let mut text = raw.to_owned();
        let mut pairs = Vec::with_capacity(USUAL_PAIRS);
        let (mut start, mut equals, mut is_encoded) = (0, None, false);
        for (position, byte) in raw.bytes().chain([b'&']).enumerate() {
            match byte {
                b'=' if equals.is_none() => equals = Some(position),
                b'%' | b'+' => is_encoded = true,
                b'&' => {
                    let mut name = start..equals.unwrap_or(position);
                    let mut value = equals.map_or(position, |equals| equals + 1)..position;
                    if is_encoded {
                        name = decode(raw, name, &mut text).ok_or_else(Self::not_utf8)?;
                        value = decode(raw, value, &mut text).ok_or_else(Self::not_utf8)?;
                    }
                    if start < position {
                        pairs.push(Pair { raw: start..position, name, value, claimed: Cell::new(false) });
                    }
                    (start, equals, is_encoded) = (position + 1, None, false);
                }
                _ => {}
            }
        }
        Ok(Self { text, pairs })
    }

    /// Creates a query from decoded names and values. Its pairs have no raw form.
    ///
    /// ```
    /// use restwright_core::http::Query;
    ///
    /// let query = Query::from_pairs([("order_by", "name"), ("order_by", "-id")]);
    /// assert_eq!(query.values("order_by").collect::<Vec<_>>(), ["name", "-id"]);
    /// ```
    pub fn from_pairs<N: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut query = Self::default();
        for (name, value) in pairs {
            let start = query.text.len();
            query.text.push_str(name.as_ref());
            let middle = query.text.len();
            query.text.push_str(value.as_ref());
            let end = query.text.len();
            let claimed = Cell::new(false);
            query.pairs.push(Pair { raw: end..end, name: start..middle, value: middle..end, claimed });
        }
        query
    }

    /// Returns all values of the parameter `name`, in order. Marks the parameter as known, so it is not rejected as
    /// undeclared.
    pub fn values<'q>(&'q self, name: &str) -> impl Iterator<Item = &'q str> {
        let is_it = move |pair: &&Pair| pair.name.len() == name.len() && self.at(&pair.name) == name;
        self.pairs.iter().filter(is_it).map(|pair| {
            pair.claimed.set(true);
            self.at(&pair.value)
        })
    }

    /// Calls the function `take` with each decoded name and value. Marks a pair as known if `take` returns `true` for
    /// the pair. Known pairs are not rejected as undeclared.
    pub fn claim_each<'q>(&'q self, mut take: impl FnMut(&'q str, &'q str) -> bool) {
        for pair in &self.pairs {
            if take(self.at(&pair.name), self.at(&pair.value)) {
                pair.claimed.set(true);
            }
        }
    }

    /// Returns all name-value pairs in the order of the query string. Each item contains the decoded name and the raw
    /// pair.
    pub fn sent(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|pair| (self.at(&pair.name), self.at(&pair.raw)))
    }

    /// Returns the names of the query parameters that are not marked as known. The names are without duplicates and in
    /// the order of the query string.
    pub fn unclaimed(&self) -> impl Iterator<Item = &str> {
        let mut seen = std::collections::HashSet::new();
        self.pairs
            .iter()
            .filter(|pair| !pair.claimed.get())
            .map(|pair| self.at(&pair.name))
            .filter(move |name| seen.insert(*name))
    }

    pub(super) fn not_utf8() -> Problem {
        Problem::new(catalogue::MALFORMED_REQUEST)
            .detail("The query string is not valid UTF-8 when decoded.")
            .detail_key("malformed_request.query")
    }

    #[inline]
    fn at(&self, place: &Range<usize>) -> &str {
        self.text.get(place.clone()).unwrap_or_default()
    }
}

/// The initial capacity of the list of name-value pairs. Most queries need a single allocation.
const USUAL_PAIRS: usize = 8;

/// Decodes a name or a value and returns its range in `text`. The decoded string is appended to `text` only if it
/// differs from the raw string. Returns `None` if the decoded bytes are not UTF-8.
fn decode(raw: &str, place: Range<usize>, text: &mut String) -> Option<Range<usize>> {
    let raw = raw.get(place.clone())?;
    if !raw.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Some(place);
    }
    let start = text.len();
    // A percent-encoded character contains no `+`, so the pieces can be decoded separately.
    for (position, piece) in raw.split('+').enumerate() {
        if position > 0 {
            text.push(' ');
        }
        text.push_str(&percent_decode_str(piece).decode_utf8().ok()?);
    }
    Some(start..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_decoded_and_claimed() {
        let query = Query::parse(Some("a=1&b=x+y%21&a=2&&c&%C3%A4=%C3%B6")).unwrap();
        assert_eq!(query.values("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(query.values("b").collect::<Vec<_>>(), ["x y!"]);
        assert_eq!(query.unclaimed().collect::<Vec<_>>(), ["c", "ä"]);
        let mut taken = Vec::new();
        query.claim_each(|name, value| {
            taken.push((name, value));
            name == "c"
        });
        assert_eq!(taken, [("a", "1"), ("b", "x y!"), ("a", "2"), ("c", ""), ("ä", "ö")]);
        assert_eq!(query.unclaimed().collect::<Vec<_>>(), ["ä"]);
        let sent = [("a", "a=1"), ("b", "b=x+y%21"), ("a", "a=2"), ("c", "c"), ("ä", "%C3%A4=%C3%B6")];
        assert_eq!(query.sent().collect::<Vec<_>>(), sent);
    }

    #[test]
    fn rejects_invalid_utf8() {
        assert_eq!(Query::parse(Some("a=%FF")).unwrap_err().status(), 400);
        assert_eq!(Query::parse(Some("%C3=1")).unwrap_err().status(), 400);
    }
}
