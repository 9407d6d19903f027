//! [`SortFields`]: what may be sorted by.

use std::borrow::Cow;

use super::Direction;

/// The fields that a list may be sorted by, its order when nothing is requested, and the identifier that makes the order
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
}

impl SortFields {
    /// Only the identifier, a field whose value no two items share and none lacks.
    pub fn by_identifier(name: impl Into<Cow<'static, str>>) -> Self {
        Self { fields: vec![name.into()], identifier: 0, defaults: Vec::new() }
    }

    /// Several fields, one of which, by its position from 0, is the identifier: for a [`Sort`](super::Sort) that numbers its fields.
    pub fn with_identifier_at<N: Into<Cow<'static, str>>>(
        names: impl IntoIterator<Item = N>,
        identifier: usize,
    ) -> Self {
        Self { fields: names.into_iter().map(Into::into).collect(), identifier, defaults: Vec::new() }
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
}
