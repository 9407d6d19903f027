//! Defines [`RequestHead`], from which all request parts are read.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use crate::http::{HttpRequest, Query};
use crate::problem::RequestViolations;

/// The head of a request. All request parts are read from it.
///
/// It includes the parsed query string and the values that parts share.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'r> {
    request: &'r HttpRequest,
    query: &'r Query,
    shared: &'r SharedValues,
    has_body_parameters: bool,
}

/// The values that the parts of a request share, at most one per type. `None` means that the value was read and was
/// invalid.
pub(crate) type SharedValues = RefCell<Vec<(TypeId, Option<Rc<dyn Any>>)>>;

/// A function that returns `true` for declared query parameters that are hidden from the caller.
pub(crate) struct HiddenParameters(Box<dyn Fn(&str) -> bool>);

impl HiddenParameters {
    /// Returns `true` if the query parameter `name` is hidden from the caller. Request parts hide parameters with
    /// [`RequestHead::hide_parameters`].
    pub(crate) fn contain(head: &RequestHead<'_>, name: &str) -> bool {
        let is_of = |(known, _): &&(TypeId, _)| *known == TypeId::of::<Self>();
        let hidden = head.shared.borrow().iter().find(is_of).and_then(|(_, value)| value.clone());
        hidden.and_then(|hidden| hidden.downcast::<Self>().ok()).is_some_and(|hidden| (hidden.0)(name))
    }
}

impl<'r> RequestHead<'r> {
    pub(crate) fn new(request: &'r HttpRequest, query: &'r Query, shared: &'r SharedValues) -> Self {
        Self { request, query, shared, has_body_parameters: false }
    }

    /// Calls `read` with a head whose query parameters are members of the body, as in a `QUERY` request (RFC 10008).
    ///
    /// The violations of these parameters have the location `body`. The parts that `read` reads share no values with
    /// other parts.
    ///
    /// ```
    /// use restwright_core::RequestHead;
    /// use restwright_core::http::Query;
    /// use restwright_core::problem::RequestViolations;
    ///
    /// fn limit(limit: u32, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<String> {
    ///     let parameters = Query::from_pairs([("limit", limit.to_string())]);
    ///     head.with_body_parameters(&parameters, violations, |head, _| head.query().values("limit").next().map(str::to_owned))
    /// }
    /// ```
    pub fn with_body_parameters<T>(
        &self,
        parameters: &Query,
        violations: &mut RequestViolations,
        read: impl FnOnce(&RequestHead<'_>, &mut RequestViolations) -> T,
    ) -> T {
        let shared = SharedValues::default();
        let head = RequestHead { request: self.request, query: parameters, shared: &shared, has_body_parameters: true };
        let mut found = RequestViolations::new(violations.remaining());
        let value = read(&head, &mut found);
        violations.append_to_body(found);
        value
    }

    /// Returns `true` if [`query`](Self::query) returns members of the body. See
    /// [`with_body_parameters`](Self::with_body_parameters).
    #[must_use]
    pub fn has_body_parameters(&self) -> bool {
        self.has_body_parameters
    }

    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &'r HttpRequest {
        self.request
    }

    /// Returns the parsed query string.
    #[must_use]
    pub fn query(&self) -> &'r Query {
        self.query
    }

    /// Returns the value of a cookie. See [`HttpRequest::cookie`].
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&'r str> {
        self.request.cookie(name)
    }

    /// Hides the query parameters for which `is_hidden` returns `true`. Hidden parameters are treated as undeclared.
    ///
    /// If undeclared query parameters are rejected, hidden parameters are rejected too. They are never suggested.
    ///
    /// Only the first call in a request has an effect.
    pub fn hide_parameters(&self, is_hidden: impl Fn(&str) -> bool + 'static) {
        let _ = self.shared(|| Some(HiddenParameters(Box::new(is_hidden))));
    }

    /// Returns the value of type `T`, which all parts of this request share. The first call runs `read`.
    ///
    /// `read` computes the value and reports its violations. Later calls return the same value, or `None` if the value
    /// was invalid.
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
