//! The head of a request, which parts read.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use crate::http::{HttpRequest, Query};

/// The head of a request, with its parsed query and the values that its parts share.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'r> {
    request: &'r HttpRequest,
    query: &'r Query,
    shared: &'r SharedValues,
}

/// The values that the parts of a request share, by type. `None` means that the value was read and was invalid.
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

    /// Returns the value of a cookie. See [`HttpRequest::cookie`].
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'r str> {
        self.request.cookie(name)
    }

    /// Returns a value that several parts of the request share, one per type. The first part that needs the value reads
    /// it and reports its violations. Other parts get the same value, or `None` if it was invalid.
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
