//! Looks up declared query parameters and suggests names for misspelt query parameters.

use crate::http::HttpRequest;
use crate::operation::ParameterLocation;
use crate::suggest::closest;

/// The names of the query parameters of an operation, including the shorter aliases of filters.
pub(super) struct DeclaredQuery<'r>(Vec<&'r str>);

impl<'r> DeclaredQuery<'r> {
    /// Returns the names of the query parameters that the caller may see.
    pub(super) fn of(request: &'r HttpRequest, is_visible: impl Fn(&str) -> bool) -> Self {
        let parameters = request.route().map_or(&[][..], |route| &route.operation().parameters);
        let declared = parameters.iter().filter(|parameter| parameter.location == ParameterLocation::Query);
        let names = declared.flat_map(|one| std::iter::once(one.name.as_str()).chain(one.flat.as_deref()));
        Self(names.filter(|name| is_visible(name)).collect())
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Returns the declared name that is most similar to `name`, or `None` if no name is similar enough.
    pub(super) fn closest(&self, name: &str) -> Option<&'r str> {
        closest(name, self.0.iter().copied())
    }
}
