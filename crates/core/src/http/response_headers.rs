//! The headers of a response.

use std::cell::OnceCell;

use http::header::{CONTENT_TYPE, ETAG, LINK, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::RequestId;

/// The headers of a response: those that many responses have, and a map of all, which is made when it is first used.
#[derive(Debug, Default)]
pub(super) struct ResponseHeaders {
    /// The values of [`USUAL`]; not those of the response any more when there is a map.
    usual: [Option<HeaderValue>; USUAL_COUNT],
    map: OnceCell<HeaderMap>,
}

const USUAL_COUNT: usize = 5;

static USUAL: [HeaderName; USUAL_COUNT] = [CONTENT_TYPE, RequestId::HEADER, ETAG, LOCATION, LINK];

impl ResponseHeaders {
    /// Sets a header, instead of those of its name.
    pub(super) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        let mut usual = USUAL.iter().zip(&mut self.usual);
        match usual.find(|(usual, _)| **usual == name) {
            Some((_, place)) if self.map.get().is_none() => *place = Some(value),
            _ => drop(self.map_mut().insert(name, value)),
        }
    }

    pub(super) fn map(&self) -> &HeaderMap {
        self.map.get_or_init(|| map(self.usual.clone()))
    }

    #[expect(clippy::expect_used, reason = "the map is there")]
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        if self.map.get().is_none() {
            self.map = OnceCell::from(map(std::mem::take(&mut self.usual)));
        }
        self.map.get_mut().expect("a map")
    }

    pub(super) fn into_map(mut self) -> HeaderMap {
        std::mem::take(self.map_mut())
    }

    /// Calls `visit` with every header.
    pub(super) fn each(&self, mut visit: impl FnMut(&HeaderName, &HeaderValue)) {
        if let Some(map) = self.map.get() {
            return map.iter().for_each(|(name, value)| visit(name, value));
        }
        for (name, value) in USUAL.iter().zip(&self.usual) {
            if let Some(value) = value {
                visit(name, value);
            }
        }
    }
}

fn map(usual: [Option<HeaderValue>; USUAL_COUNT]) -> HeaderMap {
    USUAL.iter().zip(usual).filter_map(|(name, value)| Some((name.clone(), value?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(headers: &ResponseHeaders) -> Vec<(String, String)> {
        let mut found = Vec::new();
        headers.each(|name, value| found.push((name.to_string(), value.to_str().unwrap().to_owned())));
        found.sort();
        found
    }

    #[test]
    fn headers_are_the_same_with_a_map_and_without() {
        let value = HeaderValue::from_static;
        let expected = |text: &str, id: &str| {
            [("content-type", text), ("etag", "\"1\""), ("x-request-id", id)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        // Where the map is made among the steps: never, before the first, and so on; read, or changed.
        for place in [None, Some(0), Some(1), Some(2), Some(3), Some(4)] {
            for changes in [false, true] {
                let mut headers = ResponseHeaders::default();
                for step in 0..5 {
                    if place == Some(step) {
                        let _ = if changes { headers.map_mut().len() } else { headers.map().len() };
                    }
                    match step {
                        0 => headers.insert(CONTENT_TYPE, value("a/a")),
                        1 => headers.insert(RequestId::HEADER, value("1")),
                        2 => headers.insert(CONTENT_TYPE, value("b/b")),
                        3 => headers.insert(RequestId::HEADER, value("2")),
                        _ => headers.insert(ETAG, value("\"1\"")),
                    }
                }
                assert_eq!(all(&headers), expected("b/b", "2"), "{place:?} {changes}");
                assert_eq!(headers.map().len(), 3);
                headers.map_mut().remove(CONTENT_TYPE);
                assert_eq!(all(&headers), expected("b/b", "2")[1..], "{place:?} {changes}");
            }
        }
    }
}
