//! Stores the headers of a response.

use std::cell::OnceCell;

use http::header::{CONTENT_TYPE, ETAG, LINK, LOCATION, VARY};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::RequestId;

/// The headers of a response. Common headers are stored in an array; a map of all headers is created on first use.
#[derive(Debug, Default)]
pub(super) struct ResponseHeaders {
    /// The values of the common headers in [`USUAL`]. If `map` exists, it replaces this field, `others` and `id`.
    usual: [Option<HeaderValue>; USUAL_COUNT],
    /// The headers that are neither in [`USUAL`] nor the request identifier.
    others: Vec<(HeaderName, HeaderValue)>,
    id: Option<RequestId>,
    /// A map of all headers, which is created on first use. It is boxed to keep responses small, because most responses
    /// have no map.
    map: OnceCell<Box<HeaderMap>>,
}

const USUAL_COUNT: usize = 5;
const OTHERS_COUNT: usize = 8;

static USUAL: [HeaderName; USUAL_COUNT] = [CONTENT_TYPE, ETAG, LOCATION, LINK, VARY];

impl ResponseHeaders {
    /// Sets a header and replaces its previous values.
    pub(super) fn insert(&mut self, name: HeaderName, value: HeaderValue) {
        if let Some(place) = self.place(&name) {
            *place = Some(value);
        } else if let Some(others) = self.others_mut(&name) {
            if others.iter().any(|(known, _)| *known == name) {
                others.retain(|(known, _)| *known != name);
            }
            others.push((name, value));
        } else {
            self.map_mut().insert(name, value);
        }
    }

    /// Sets a header unless it already exists.
    pub(super) fn insert_absent(&mut self, name: &HeaderName, value: &HeaderValue) {
        if let Some(place) = self.place(name) {
            place.get_or_insert_with(|| value.clone());
        } else if let Some(others) = self.others_mut(name) {
            if others.iter().all(|(known, _)| known != name) {
                others.push((name.clone(), value.clone()));
            }
        } else {
            self.map_mut().entry(name).or_insert_with(|| value.clone());
        }
    }

    /// Appends a value to a header.
    pub(super) fn append(&mut self, name: HeaderName, value: HeaderValue) {
        match self.place(&name) {
            Some(place @ None) => {
                *place = Some(value);
                return;
            }
            Some(Some(_)) => {}
            None => {
                if let Some(others) = self.others_mut(&name) {
                    others.push((name, value));
                    return;
                }
            }
        }
        self.map_mut().append(name, value);
    }

    /// Returns the list `others`, which stores the headers that are not in [`USUAL`]. Returns `None` if all headers are
    /// already in the map, or if `name` is the name of the request identifier, which is not in the list.
    fn others_mut(&mut self, name: &HeaderName) -> Option<&mut Vec<(HeaderName, HeaderValue)>> {
        if self.map.get().is_some() || *name == RequestId::HEADER {
            return None;
        }
        // The first header is usually followed by others.
        if self.others.capacity() == 0 {
            self.others.reserve_exact(OTHERS_COUNT);
        }
        Some(&mut self.others)
    }

    /// Returns the array element that stores a header in [`USUAL`]. Returns `None` for other headers, and if all
    /// headers are already in the map.
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
        if self.map.get().is_some() || *name == RequestId::HEADER {
            return self.map().get(name);
        }
        match USUAL.iter().position(|usual| usual == name) {
            Some(place) => self.usual.get(place)?.as_ref(),
            None => self.others.iter().find_map(|(known, value)| (known == name).then_some(value)),
        }
    }

    pub(super) fn map(&self) -> &HeaderMap {
        self.map.get_or_init(|| Box::new(self.to_map()))
    }

    fn to_map(&self) -> HeaderMap {
        let fields = self.fields().map(|(name, value)| (name.clone(), value.clone()));
        fields.chain(self.id.as_ref().map(|id| (RequestId::HEADER, id.to_header_value()))).collect()
    }

    /// Returns the headers, except the request identifier. Call it only before the map is created.
    fn fields(&self) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
        let usual = USUAL.iter().zip(&self.usual).filter_map(|(name, value)| Some((name, value.as_ref()?)));
        usual.chain(self.others.iter().map(|(name, value)| (name, value)))
    }

    #[expect(clippy::expect_used, reason = "the map is there")]
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        if self.map.get().is_none() {
            self.map = OnceCell::from(Box::new(self.to_map()));
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
        self.fields().for_each(|(name, value)| visit(name, value.as_bytes()));
        if let Some(id) = &self.id {
            visit(&RequestId::HEADER, id.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::{AGE, SET_COOKIE};

    use super::*;

    fn all(headers: &ResponseHeaders) -> Vec<(String, String)> {
        let mut found = Vec::new();
        headers.each(|name, value| found.push((name.to_string(), String::from_utf8(value.to_vec()).unwrap())));
        found.sort();
        found
    }

    #[test]
    fn returns_the_same_headers_with_and_without_a_map() {
        let value = HeaderValue::from_static;
        let id = |text: &str| RequestId::accept(Some(text.as_bytes()));
        let expected = |text: &str, id: &str| {
            [("age", "2"), ("content-type", text), ("etag", "\"1\""), ("location", "/1"), ("x-request-id", id)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        // The steps before which the map is created, including never, and whether it is read or changed.
        for place in [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6), Some(7), Some(8)] {
            for changes in [false, true] {
                let mut headers = ResponseHeaders::default();
                for step in 0..9 {
                    if place == Some(step) {
                        let _ = if changes { headers.map_mut().len() } else { headers.map().len() };
                    }
                    match step {
                        0 => headers.insert(CONTENT_TYPE, value("a/a")),
                        1 => headers.set_request_id(&id("1")),
                        2 => headers.insert(CONTENT_TYPE, value("b/b")),
                        3 => headers.set_request_id(&id("2")),
                        4 => headers.insert_absent(&ETAG, &value("\"1\"")),
                        5 => headers.insert(AGE, value("1")),
                        6 => headers.insert(AGE, value("2")),
                        7 => [ETAG, AGE].iter().for_each(|name| headers.insert_absent(name, &value("3"))),
                        _ => headers.append(LOCATION, value("/1")),
                    }
                }
                for (name, value) in expected("b/b", "2") {
                    let found = headers.get(&HeaderName::try_from(name).unwrap());
                    assert_eq!(found.unwrap(), value.as_str(), "{place:?} {changes}");
                }
                assert_eq!((headers.get(&LINK), headers.get(&SET_COOKIE)), (None, None), "{place:?} {changes}");
                assert_eq!(all(&headers), expected("b/b", "2"), "{place:?} {changes}");
                assert_eq!(headers.map().len(), 5);
                headers.map_mut().remove(AGE);
                assert_eq!(all(&headers), expected("b/b", "2")[1..], "{place:?} {changes}");
            }
        }
    }

    #[test]
    fn headers_are_repeated() {
        let mut headers = ResponseHeaders::default();
        for cookie in ["a=1", "b=2"] {
            headers.append(SET_COOKIE, HeaderValue::from_static(cookie));
        }
        let cookies = ["a=1", "b=2"].map(|cookie| ("set-cookie".to_owned(), cookie.to_owned()));
        assert_eq!(all(&headers), cookies);
        headers.insert(SET_COOKIE, HeaderValue::from_static("c=3"));
        for link in ["<a>", "<b>", "<c>"] {
            headers.append(LINK, HeaderValue::from_static(link));
        }
        headers.append(RequestId::HEADER, HeaderValue::from_static("1"));
        let links = ["<a>", "<b>", "<c>"].map(|link| ("link".to_owned(), link.to_owned()));
        assert_eq!(
            all(&headers),
            [&links[..], &[("set-cookie".to_owned(), "c=3".to_owned()), ("x-request-id".to_owned(), "1".to_owned())]]
                .concat()
        );
    }
}
