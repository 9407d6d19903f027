//! The head of a request, from which parts read.

use std::borrow::Cow;

use crate::http::{HttpRequest, Query};

/// The head of a request with its query parsed once.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'r> {
    request: &'r HttpRequest,
    query: &'r Query<'r>,
}

impl<'r> RequestHead<'r> {
    pub(crate) fn new(request: &'r HttpRequest, query: &'r Query<'r>) -> Self {
        Self { request, query }
    }

    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &'r HttpRequest {
        self.request
    }

    /// Returns the query.
    #[must_use]
    pub fn query(&self) -> &'r Query<'r> {
        self.query
    }

    /// Returns a segment of the path, decoded; `None` if the path has fewer. With `tail`, everything from there on.
    #[must_use]
    pub fn segment(&self, index: usize, tail: bool) -> Option<Cow<'r, str>> {
        self.request.segment(index, tail)
    }

    /// Returns the value of a cookie, as [`HttpRequest::cookie`] has it.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'r str> {
        self.request.cookie(name)
    }
}
