//! Defines [`Trailer`], a header field that follows a body.

use std::cell::RefCell;
use std::rc::Rc;

use http::{HeaderName, HeaderValue};

/// A header field that follows the body of a response (RFC 9110, section 6.5). The stream of the body sets it before it ends.
///
/// [`HttpResponse::trailer`](super::HttpResponse::trailer) creates it. It is sent to clients that send `TE: trailers` (section 10.1.4), because
/// some proxies cut off a response with a trailer, and only in HTTP/1.1 with a body of unknown length. It is not sent in an `App` of actix-web. Proxies may
/// discard it.
#[derive(Clone, Debug)]
pub struct Trailer {
    name: HeaderName,
    value: Rc<RefCell<Option<HeaderValue>>>,
}

impl Trailer {
    pub(super) fn new(name: HeaderName) -> Self {
        Self { name, value: Rc::default() }
    }

    /// Sets the value. Without a value, the field is not sent.
    pub fn set(&self, value: impl Into<HeaderValue>) {
        *self.value.borrow_mut() = Some(value.into());
    }
}

/// Contains methods that only hosts and tests call.
#[doc(hidden)]
impl Trailer {
    #[must_use]
    pub fn name(&self) -> &HeaderName {
        &self.name
    }

    #[must_use]
    pub fn take(&self) -> Option<HeaderValue> {
        self.value.borrow_mut().take()
    }
}
