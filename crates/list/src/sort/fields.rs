//! Defines [`SortFields`], the fields that a list can be sorted by.

use std::borrow::Cow;

use super::Direction;

/// The fields that a list can be sorted by, and the default order. One field is the identifier, which makes every order
/// unique.
///
/// `#[derive(Sort)]` creates these fields from an enum. If the fields are known only at run time, add them to the
/// route, and use a [`SortBag`](super::SortBag) in the request.
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::{Direction, SortFields};
///
/// let fields = SortFields::by_identifier("id").field("name").field("born").default("born", Direction::Descending);
/// let route = Route::get("/pets").with(fields);
/// ```
#[derive(Clone, Debug)]
#[must_use = "fields have no effect until they are added to a route or a plan"]
pub struct SortFields {
    pub(super) fields: Vec<Cow<'static, str>>,
    pub(super) identifier: usize,
    pub(super) defaults: Vec<(Cow<'static, str>, Direction)>,
    /// The names of computed fields, which the items do not contain.
    pub(super) computed: Vec<Cow<'static, str>>,
}

impl SortFields {
    /// Creates a set of sort fields that contains only the identifier. Every item must have the identifier, and its
    /// values must be unique.
    pub fn by_identifier(name: impl Into<Cow<'static, str>>) -> Self {
        Self::with_identifier_at([name], 0)
    }

    /// Creates a set of several fields, for [`Sort::declare`](super::Sort::declare). The field at the index
    /// `identifier` is the identifier.
    pub fn with_identifier_at<N: Into<Cow<'static, str>>>(
        names: impl IntoIterator<Item = N>,
        identifier: usize,
    ) -> Self {
        let fields = names.into_iter().map(Into::into).collect();
        Self { fields, identifier, defaults: Vec::new(), computed: Vec::new() }
    }

    /// Adds a field to sort by.
    pub fn field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.fields.push(name.into());
        self
    }

    /// Adds a field to the default order, which is used if the client requests no order.
    pub fn default(mut self, name: impl Into<Cow<'static, str>>, direction: Direction) -> Self {
        self.defaults.push((name.into(), direction));
        self
    }

    /// Marks a field as computed, so the items of the list need not contain the field. An example is the rank of a
    /// full-text search. Add the field before this call.
    ///
    /// Building the Api fails if the items of the response lack a field that is not computed.
    pub fn computed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.computed.push(name.into());
        self
    }
}
