//! The headers of a response.

use std::cell::OnceCell;

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::RequestId;

/// The headers of a response: those that nearly every response has, and a map of all, which is made when it is first used.
#[derive(Debug, Default)]
pub(super) struct ResponseHeaders {
    /// Not those of the response any more when there is a map.
    content_type: Option<HeaderValue>,
    request_id: Option<HeaderValue>,
    map: OnceCell<HeaderMap>,
}

impl ResponseHeaders {
    pub(super) fn set_content_type(&mut self, value: HeaderValue) {
        match self.map.get_mut() {
            Some(map) => drop(map.insert(CONTENT_TYPE, value)),
            None => self.content_type = Some(value),
        }
    }

    pub(super) fn set_request_id(&mut self, value: HeaderValue) {
        match self.map.get_mut() {
            Some(map) => drop(map.insert(RequestId::HEADER, value)),
            None => self.request_id = Some(value),
        }
    }

    pub(super) fn map(&self) -> &HeaderMap {
        self.map.get_or_init(|| map([self.content_type.clone(), self.request_id.clone()]))
    }

    #[expect(clippy::expect_used, reason = "the map is there")]
    pub(super) fn map_mut(&mut self) -> &mut HeaderMap {
        if self.map.get().is_none() {
            self.map = OnceCell::from(map([self.content_type.take(), self.request_id.take()]));
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
        if let Some(value) = &self.content_type {
            visit(&CONTENT_TYPE, value);
        }
        if let Some(value) = &self.request_id {
            visit(&RequestId::HEADER, value);
        }
    }
}

fn map([content_type, request_id]: [Option<HeaderValue>; 2]) -> HeaderMap {
    let usual = [(CONTENT_TYPE, content_type), (RequestId::HEADER, request_id)];
    usual.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(headers: &ResponseHeaders) -> Vec<(String, String)> {
        let mut found = Vec::new();
        headers.each(|name, value| found.push((name.to_string(), value.to_str().unwrap().to_owned())));
        found
    }

    #[test]
    fn headers_are_the_same_with_a_map_and_without() {
        let value = HeaderValue::from_static;
        let expected = |text: &str, id: &str| {
            vec![("content-type".to_owned(), text.to_owned()), ("x-request-id".to_owned(), id.to_owned())]
        };
        // Where the map is made among the steps: never, before the first, and so on; read, or changed.
        for place in [None, Some(0), Some(1), Some(2), Some(3)] {
            for changes in [false, true] {
                let mut headers = ResponseHeaders::default();
                for step in 0..4 {
                    if place == Some(step) {
                        let _ = if changes { headers.map_mut().len() } else { headers.map().len() };
                    }
                    match step {
                        0 => headers.set_content_type(value("a/a")),
                        1 => headers.set_request_id(value("1")),
                        2 => headers.set_content_type(value("b/b")),
                        _ => headers.set_request_id(value("2")),
                    }
                }
                assert_eq!(all(&headers), expected("b/b", "2"), "{place:?} {changes}");
                assert_eq!(headers.map().len(), 2);
                headers.map_mut().remove(CONTENT_TYPE);
                assert_eq!(all(&headers), expected("b/b", "2")[1..], "{place:?} {changes}");
            }
        }
    }
}
