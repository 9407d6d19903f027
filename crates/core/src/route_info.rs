//! Defines [`RouteInfo`], the route that a request matches.

use std::fmt;

use crate::operation::Operation;
use crate::state::KeptValues;
use crate::template::Template;

/// The route that a request matches, with its path template, its OpenAPI operation and the values stored by `plan`
/// methods.
pub struct RouteInfo {
    template: Template,
    operation: Operation,
    guests: bool,
    /// The names of the query parameters in which the route accepts API keys.
    keys_in_query: Vec<String>,
    kept: KeptValues,
}

impl RouteInfo {
    #[doc(hidden)]
    #[must_use]
    pub fn new(
        template: Template,
        mut operation: Operation,
        guests: bool,
        keys_in_query: Vec<String>,
        kept: KeptValues,
    ) -> Self {
        operation.shrink_to_fit();
        Self { template, operation, guests, keys_in_query, kept }
    }

    /// Returns the path template, such as `/pets/{id}`.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Returns the OpenAPI operation of the route, with its id, parameters and responses.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Returns `true` if callers without credentials are admitted. This holds if the route is public or credentials are
    /// optional.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.guests
    }

    /// Returns the value of type `T` that a `plan` method stored with
    /// [`BuildContext::kept`](crate::BuildContext::kept).
    #[must_use]
    pub fn kept<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.kept.get()
    }

    pub(crate) fn reads_key_from(&self, name: &str) -> bool {
        self.keys_in_query.iter().any(|key| key == name)
    }
}

impl fmt::Debug for RouteInfo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RouteInfo")
            .field("template", &self.template)
            .field("operation", &self.operation.id)
            .field("guests", &self.guests)
            .finish_non_exhaustive()
    }
}

/// Notes about a route, which `Api::explain` lists below the route. A `plan` method adds notes with
/// [`BuildContext::kept`](crate::BuildContext::kept).
#[derive(Default)]
pub struct RouteNotes(Vec<Box<dyn Fn() -> Option<String> + Send + Sync>>);

impl RouteNotes {
    /// Adds a note about the route. `Api::explain` calls the function each time. The note is omitted if the function
    /// returns `None`.
    pub fn add(&mut self, note: impl Fn() -> Option<String> + Send + Sync + 'static) {
        self.0.push(Box::new(note));
    }

    /// Returns the notes about the route, without notes whose function returns `None`.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|note| note())
    }
}

impl fmt::Debug for RouteNotes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RouteNotes").field("count", &self.0.len()).finish()
    }
}
