//! The headers of a response.

use std::cell::OnceCell;

use http::header::{CONTENT_TYPE, ETAG, LINK, LOCATION, VARY};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::RequestId;

/// The headers of a response: those that many responses have, and a map of all, which is made when it is first used.
#[derive(Debug, Default)]
pub(super) struct ResponseHeaders {
    /// The values of [`USUAL`]; neither they nor the identifier are those of the response any more when there is a map.
    usual: [Option<HeaderValue>; USUAL_COUNT],
    id: Option<RequestId>,
    map: OnceCell<HeaderMap>,
}

const USUAL_COUNT: usize = 5;

static USUAL: [HeaderName; USUAL_COUNT] = [CONTENT_TYPE, ETAG, LOCATION, LINK, VARY];

impl ResponseHeaders {
    /// Sets a header, instead of those of its name.
    pub(super) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        match self.place(&name) {
            Some(place) => *place = Some(value),
            None => drop(self.map_mut().insert(name, value)),
        }
    }

    /// Adds a header to those of its name.
    pub(super) fn append(&mut self, name: HeaderName, value: HeaderValue) {
        match self.place(&name) {
            Some(place @ None) => *place = Some(value),
            _ => drop(self.map_mut().append(name, value)),
        }
    }

    /// Returns the place of a usual header, as long as there is no map.
    fn place(&mut self, name: &HeaderName) -> Option<&mut Option<HeaderValue>> {
        if self.map.get().is_some() {
            return None;
        }
        USUAL.iter().zip(&mut self.usual).find_map(|(usual, place)| (usual == name).then_some(place))
    }

    pub(super) fn set_request_id(&mut self, id: &RequestId) {
        match self.map.get_mut() {
            Some(map) => drop(map.insert(RequestId::HEADER, id.to_header_value())),
            None => self.id = Some(id.clone()),
        }
    }

    /// Returns the first value of a header.
    pub(super) fn get(&self, name: &HeaderName) -> Option<&HeaderValue> {
        match self.map.get() {
            None if *name != RequestId::HEADER => {
                USUAL.iter().zip(&self.usual).find_map(|(usual, value)| value.as_ref().filter(|_| usual == name))
            }
            _ => self.map().get(name),
        }
    }

    pub(super) fn map(&self) -> &HeaderMap {
        self.map.get_or_init(|| map(self.usual.clone(), self.id.as_ref()))
    }

    #[expect(clippy::expect_used, reason = "the map is there")]
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        if self.map.get().is_none() {
            self.map = OnceCell::from(map(std::mem::take(&mut self.usual), self.id.as_ref()));
        }
        self.map.get_mut().expect("a map")
    }

    pub(super) fn into_map(mut self) -> HeaderMap {
        std::mem::take(self.map_mut())
    }

    /// Calls `visit` with every header.
    pub(super) fn each(&self, mut visit: impl FnMut(&HeaderName, &[u8])) {
        if let Some(map) = self.map.get() {
            return map.iter().for_each(|(name, value)| visit(name, value.as_bytes()));
        }
        for (name, value) in USUAL.iter().zip(&self.usual) {
            if let Some(value) = value {
                visit(name, value.as_bytes());
            }
        }
        if let Some(id) = &self.id {
            visit(&RequestId::HEADER, id.as_bytes());
        }
    }
}

fn map(usual: [Option<HeaderValue>; USUAL_COUNT], id: Option<&RequestId>) -> HeaderMap {
    let usual = USUAL.iter().zip(usual).filter_map(|(name, value)| Some((name.clone(), value?)));
    usual.chain(id.map(|id| (RequestId::HEADER, id.to_header_value()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(headers: &ResponseHeaders) -> Vec<(String, String)> {
        let mut found = Vec::new();
        headers.each(|name, value| found.push((name.to_string(), String::from_utf8(value.to_vec()).unwrap())));
        found.sort();
        found
    }

    #[test]
    fn headers_are_the_same_with_a_map_and_without() {
        let value = HeaderValue::from_static;
        let id = |text: &str| RequestId::accept(Some(text.as_bytes()));
        let expected = |text: &str, id: &str| {
            [("content-type", text), ("etag", "\"1\""), ("location", "/1"), ("x-request-id", id)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        // Where the map is made among the steps: never, before the first, and so on; read, or changed.
        for place in [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)] {
            for changes in [false, true] {
                let mut headers = ResponseHeaders::default();
                for step in 0..6 {
                    if place == Some(step) {
                        let _ = if changes { headers.map_mut().len() } else { headers.map().len() };
                    }
                    match step {
                        0 => headers.insert(CONTENT_TYPE, value("a/a")),
                        1 => headers.set_request_id(&id("1")),
                        2 => headers.insert(CONTENT_TYPE, value("b/b")),
                        3 => headers.set_request_id(&id("2")),
                        4 => headers.insert(ETAG, value("\"1\"")),
                        _ => headers.append(LOCATION, value("/1")),
                    }
                }
                for (name, value) in expected("b/b", "2") {
                    let found = headers.get(&HeaderName::try_from(name).unwrap());
                    assert_eq!(found.unwrap(), value.as_str(), "{place:?} {changes}");
                }
                assert_eq!((headers.get(&LINK), headers.get(&http::header::AGE)), (None, None), "{place:?} {changes}");
                assert_eq!(all(&headers), expected("b/b", "2"), "{place:?} {changes}");
                assert_eq!(headers.map().len(), 4);
                headers.map_mut().remove(CONTENT_TYPE);
                assert_eq!(all(&headers), expected("b/b", "2")[1..], "{place:?} {changes}");
            }
        }
    }

    #[test]
    fn headers_are_repeated() {
        let mut headers = ResponseHeaders::default();
        for link in ["<a>", "<b>", "<c>"] {
            headers.append(LINK, HeaderValue::from_static(link));
        }
        headers.append(RequestId::HEADER, HeaderValue::from_static("1"));
        let links = ["<a>", "<b>", "<c>"].map(|link| ("link".to_owned(), link.to_owned()));
        assert_eq!(all(&headers), [&links[..], &[("x-request-id".to_owned(), "1".to_owned())]].concat());
    }
}
