//! [`SortFields`]: the fields that a list can be sorted by.

use std::borrow::Cow;

use super::Direction;

/// The fields that a list can be sorted by, its order when nothing is requested, and the identifier that makes the order
/// complete.
///
/// The derive of [`Sort`](super::Sort) writes it; a route whose fields are known at run time hands it to its
/// [`SortBag`](super::SortBag).
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::{Direction, SortFields};
///
/// let fields = SortFields::by_identifier("id").field("name").field("born").default("born", Direction::Descending);
/// let route = Route::get("/pets").with(fields);
/// ```
#[derive(Clone, Debug)]
#[must_use = "fields do nothing until a route or a plan has them"]
pub struct SortFields {
    pub(super) fields: Vec<Cow<'static, str>>,
    pub(super) identifier: usize,
    pub(super) defaults: Vec<(Cow<'static, str>, Direction)>,
    /// The fields that the items do not have.
    pub(super) computed: Vec<Cow<'static, str>>,
}

impl SortFields {
    /// Creates a set of the identifier alone, a field whose value no two items share and none lacks.
    pub fn by_identifier(name: impl Into<Cow<'static, str>>) -> Self {
        Self::with_identifier_at([name], 0)
    }

    /// Creates a set of several fields, one of which, by its position from 0, is the identifier: for a [`Sort`](super::Sort) that
    /// numbers its fields.
    pub fn with_identifier_at<N: Into<Cow<'static, str>>>(
        names: impl IntoIterator<Item = N>,
        identifier: usize,
    ) -> Self {
        let fields = names.into_iter().map(Into::into).collect();
        Self { fields, identifier, defaults: Vec::new(), computed: Vec::new() }
    }

    /// Adds a field.
    pub fn field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.fields.push(name.into());
        self
    }

    /// Adds a field to the order of a list for which none is requested.
    pub fn default(mut self, name: impl Into<Cow<'static, str>>, direction: Direction) -> Self {
        self.defaults.push((name.into(), direction));
        self
    }

    /// Says of a field that the items of the list do not have it, such as a relevance that a store computes.
    ///
    /// Building the Api fails if the items of the response lack a field that is not computed.
    pub fn computed(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.computed.push(name.into());
        self
    }
}
