//! Defines [`HiddenFields`], which hides fields of a list from some callers.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use restwright_core::RequestHead;
use restwright_core::http::HttpRequest;

/// A setting that hides fields of a list from some callers. Filtering or sorting by a hidden field fails as if the
/// field did not exist. The default order omits hidden fields.
///
/// Add it to a route with [`Route::with`](restwright_core::Route::with).
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::HiddenFields;
///
/// let route = Route::get("/pets").with(HiddenFields::new(|request| {
///     if request.identity().has_permission("prices") { Vec::new() } else { vec!["price".into()] }
/// }));
/// ```
#[derive(Clone)]
pub struct HiddenFields(Arc<HiddenNames>);

/// A function that returns the names of the fields that the caller of a request must not see.
type HiddenNames = dyn Fn(&HttpRequest) -> Vec<Cow<'static, str>> + Send + Sync;

/// The hidden fields of one request.
#[derive(Default)]
pub(crate) struct Hidden(Vec<Cow<'static, str>>);

impl HiddenFields {
    /// Creates the setting from a function. `names` returns the fields to hide from the caller of a request.
    #[must_use]
    pub fn new(names: impl Fn(&HttpRequest) -> Vec<Cow<'static, str>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(names))
    }
}

impl fmt::Debug for HiddenFields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HiddenFields").finish_non_exhaustive()
    }
}

impl Hidden {
    /// Returns the hidden fields for the caller of a request.
    pub(crate) fn of(setting: Option<&HiddenFields>, head: &RequestHead<'_>) -> Self {
        setting.map(|setting| Self((setting.0)(head.request()))).unwrap_or_default()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|hidden| hidden == name)
    }

    /// Returns the names of the hidden fields.
    pub(crate) fn names(&self) -> Vec<Cow<'static, str>> {
        self.0.clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
