//! Defines [`SortFields`], the fields that a list can be sorted by.

use std::borrow::Cow;

use restwright_core::{BuildErrors, Route};

use super::{Direction, Sort};

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

    /// Returns the fields of a type, and checks that it returns the same field for each index.
    ///
    /// # Errors
    /// The fields are declared at run time, but the route has no [`SortFields`]. [`Sort::at`] returns another field than it should.
    pub fn of<F: Sort>(route: &Route) -> Result<Self, BuildErrors> {
        let fields = F::declare(route)?;
        fields.check::<F>()?;
        Ok(fields)
    }

    /// Checks that a type returns the same field for each index.
    pub(super) fn check<F: Sort>(&self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        // A loop compiles to one function per field type; iterator adapters compile to many.
        for (index, name) in self.fields.iter().enumerate() {
            let found = F::at(self, index);
            check_field((index, name), found.as_ref().map(F::name), std::any::type_name::<F>(), &mut errors);
        }
        errors.finish(Some(()))
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

/// Reports a field that a type declares at an index, but does not return for this index.
fn check_field((index, name): (usize, &str), found: Option<&str>, type_name: &str, errors: &mut BuildErrors) {
    if found != Some(name) {
        let found = found.map_or("returns none".to_owned(), |found| format!("returns `{found}`"));
        errors.push(format!(
            "the order declares `{name}` as the field at {index}, but `at` of `{type_name}` {found}; make both agree"
        ));
    }
}
