//! Defines [`FilterFields`], the fields that a list can be filtered by.

use restwright_core::schema::Property;

use crate::operator::Operator;

/// The fields that a list can be filtered by, each with its operators.
///
/// `#[derive(Filters)]` creates these fields from a struct. If the fields are known only at run time, add them to the
/// route, and use a [`FilterBag`](super::FilterBag) in the request. Operands have the type of the property and must
/// satisfy its constraints; [`Operator`](crate::Operator) lists the exceptions.
///
/// ```
/// use restwright_core::Route;
/// use restwright_core::schema::{date, string};
/// use restwright_list::{FilterFields, Operator};
///
/// let fields = FilterFields::new()
///     .field(string("name").description("The pet's name."), [Operator::Eq, Operator::Contains])
///     .default_operator("name", Operator::Contains)
///     .field(date("birth_date"), [Operator::Gte, Operator::Lt, Operator::IsNull]);
/// let route = Route::get("/pets").with(fields);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "fields have no effect until they are added to a route or a plan"]
pub struct FilterFields {
    pub(super) fields: Vec<DeclaredField>,
    /// The names of fields that were passed to `default_operator` or `computed` before the fields were added.
    pub(super) misplaced: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct DeclaredField {
    pub(super) property: Property,
    pub(super) operators: Vec<Operator>,
    pub(super) default_operator: Option<Operator>,
    pub(super) is_computed: bool,
}

impl FilterFields {
    /// Creates an empty set of fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field with its operators.
    pub fn field(mut self, property: impl Into<Property>, operators: impl IntoIterator<Item = Operator>) -> Self {
        self.fields.push(DeclaredField {
            property: property.into(),
            operators: operators.into_iter().collect(),
            default_operator: None,
            is_computed: false,
        });
        self
    }

    /// Sets the operator for parameters that name only the field, such as `filter[name]=re`. The default is `eq`. Add
    /// the field first.
    ///
    /// Building the Api fails if the field does not have this operator.
    pub fn default_operator(self, field: &str, operator: Operator) -> Self {
        self.change(field, |declared| declared.default_operator = Some(operator))
    }

    /// Marks a field as computed, so the items of the list need not contain the field. An example is the query of a
    /// full-text search. Add the field first.
    ///
    /// Building the Api fails if the items of the response lack a field that is not computed.
    pub fn computed(self, field: &str) -> Self {
        self.change(field, |declared| declared.is_computed = true)
    }

    fn change(mut self, field: &str, change: impl FnOnce(&mut DeclaredField)) -> Self {
        match self.fields.iter_mut().rev().find(|declared| declared.property.name() == field) {
            Some(declared) => change(declared),
            None => self.misplaced.push(field.to_owned()),
        }
        self
    }
}
