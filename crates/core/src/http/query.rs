//! The query string, parsed once per request.

use std::borrow::Cow;
use std::cell::Cell;

use percent_encoding::percent_decode_str;

use crate::problem::{Problem, catalogue};

/// The pairs of a query string in their order, decoded as `application/x-www-form-urlencoded` (`+` is a space).
///
/// Reading a pair claims it. An unclaimed one is an unknown parameter, which a strict [`Configuration`](crate::Configuration)
/// rejects.
#[derive(Debug, Default)]
pub struct Query<'r> {
    pairs: Vec<Pair<'r>>,
}

#[derive(Debug)]
struct Pair<'r> {
    name: Cow<'r, str>,
    value: Cow<'r, str>,
    claimed: Cell<bool>,
}

impl<'r> Query<'r> {
    /// Parses a raw query string, in time linear to its length.
    ///
    /// # Errors
    /// 400 when a percent-encoded name or value is not UTF-8.
    pub fn parse(raw: Option<&'r str>) -> Result<Self, Problem> {
        let Some(raw) = raw.filter(|raw| !raw.is_empty()) else { return Ok(Self::default()) };
        let pairs = raw.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decode = |text| Self::decode(text).ok_or_else(not_utf8);
            Ok(Pair { name: decode(name)?, value: decode(value)?, claimed: Cell::new(false) })
        });
        Ok(Self { pairs: pairs.collect::<Result<_, Problem>>()? })
    }

    /// Decodes a name or a value of a raw query; `None` if it is not UTF-8.
    #[must_use]
    pub fn decode(text: &str) -> Option<Cow<'_, str>> {
        if !text.bytes().any(|byte| byte == b'%' || byte == b'+') {
            return Some(Cow::Borrowed(text));
        }
        let spaced = text.replace('+', " ");
        percent_decode_str(&spaced).decode_utf8().ok().map(|decoded| Cow::Owned(decoded.into_owned()))
    }

    /// Returns every value of `name`, in order, and claims them.
    pub fn values<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q Cow<'r, str>> + 'q {
        self.claim(move |candidate| candidate == name).map(|(_, value)| value)
    }

    /// Returns every pair whose name `claims` returns true for, in order, and claims them.
    pub fn claim<'q>(
        &'q self,
        mut claims: impl FnMut(&str) -> bool + 'q,
    ) -> impl Iterator<Item = (&'q str, &'q Cow<'r, str>)> + 'q {
        self.pairs.iter().filter(move |pair| claims(&pair.name)).map(|pair| {
            pair.claimed.set(true);
            (&*pair.name, &pair.value)
        })
    }

    /// Calls `take` with every pair, in order, and claims those for which it returns true.
    pub fn claim_each<'q>(&'q self, mut take: impl FnMut(&'q str, &'q Cow<'r, str>) -> bool) {
        for pair in &self.pairs {
            if take(&pair.name, &pair.value) {
                pair.claimed.set(true);
            }
        }
    }

    /// Returns the unclaimed names, each once, in the order of their first use.
    pub fn unclaimed(&self) -> impl Iterator<Item = &str> {
        let mut seen = std::collections::HashSet::new();
        self.pairs
            .iter()
            .filter(|pair| !pair.claimed.get())
            .map(|pair| &*pair.name)
            .filter(move |name| seen.insert(*name))
    }
}

fn not_utf8() -> Problem {
    Problem::new(catalogue::MALFORMED_REQUEST).detail("The query string is not valid UTF-8 when decoded.")
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
            taken.push((name, &**value));
            name == "c"
        });
        assert_eq!(taken, [("a", "1"), ("b", "x y!"), ("a", "2"), ("c", ""), ("ä", "ö")]);
        assert_eq!(query.unclaimed().collect::<Vec<_>>(), ["ä"]);
    }

    #[test]
    fn invalid_utf8_is_refused() {
        assert_eq!(Query::parse(Some("a=%FF")).unwrap_err().status(), 400);
        assert_eq!(Query::parse(Some("%C3=1")).unwrap_err().status(), 400);
    }
}
