//! The head of a request, from which parts read.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use crate::http::{HttpRequest, Query};

/// The head of a request with its query parsed once, and the values that its parts share.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'r> {
    request: &'r HttpRequest,
    query: &'r Query,
    shared: &'r SharedValues,
}

/// The values that the parts of one request share, by their types. `None` is one that was read and had violations.
pub(crate) type SharedValues = RefCell<Vec<(TypeId, Option<Rc<dyn Any>>)>>;

impl<'r> RequestHead<'r> {
    pub(crate) fn new(request: &'r HttpRequest, query: &'r Query, shared: &'r SharedValues) -> Self {
        Self { request, query, shared }
    }

    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &'r HttpRequest {
        self.request
    }

    /// Returns the query.
    #[must_use]
    pub fn query(&self) -> &'r Query {
        self.query
    }

    /// Returns the value of a cookie, as [`HttpRequest::cookie`] has it.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'r str> {
        self.request.cookie(name)
    }

    /// Returns a value that several parts of the request share, one per type. The first part that needs it reads it, and reports
    /// its violations; the others find the same value, or `None` if it had violations.
    ///
    /// ```
    /// use restwright_core::RequestHead;
    ///
    /// struct Languages(Vec<String>);
    ///
    /// fn first_language(head: &RequestHead<'_>) -> Option<String> {
    ///     let languages = head.shared(|| {
    ///         let text = head.query().values("languages").next().unwrap_or("en");
    ///         Some(Languages(text.split(',').map(str::to_owned).collect()))
    ///     });
    ///     languages?.0.first().cloned()
    /// }
    /// ```
    pub fn shared<T: 'static>(&self, read: impl FnOnce() -> Option<T>) -> Option<Rc<T>> {
        let id = TypeId::of::<T>();
        let known = self.shared.borrow().iter().find(|(known, _)| *known == id).map(|(_, value)| value.clone());
        if let Some(value) = known {
            return value?.downcast().ok();
        }
        let value = read().map(Rc::new);
        self.shared.borrow_mut().push((id, value.clone().map(|value| value as Rc<dyn Any>)));
        value
    }
}
