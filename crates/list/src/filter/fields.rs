//! [`FilterFields`]: what may be filtered.

use restwright_core::schema::Property;

use crate::operator::Operator;

/// The fields of a list that may be filtered, each with its operators.
///
/// The derive of [`Filters`](super::Filters) writes it; a route whose fields are known at run time hands it to its
/// [`FilterBag`](super::FilterBag). Values have the type of the property: its constraints are those of the items, not of what is
/// asked about them, and do not count.
///
/// ```
/// use restwright_core::Route;
/// use restwright_core::schema::{date, string};
/// use restwright_list::{FilterFields, Operator};
///
/// let fields = FilterFields::new()
///     .field(string("name").description("The pet's name."), [Operator::Eq, Operator::Contains])
///     .field(date("birth_date"), [Operator::Gte, Operator::Lt, Operator::IsNull]);
/// let route = Route::get("/pets").with(fields);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "fields do nothing until a route or a plan has them"]
pub struct FilterFields {
    pub(super) fields: Vec<(Property, Vec<Operator>)>,
}

impl FilterFields {
    /// No field.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field with its operators.
    pub fn field(mut self, property: impl Into<Property>, operators: impl IntoIterator<Item = Operator>) -> Self {
        self.fields.push((property.into(), operators.into_iter().collect()));
        self
    }
}
