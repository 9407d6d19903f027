//! Defines [`planned_fields`] and [`PlannedList`], the filter and sort fields of a route. Stores check these fields
//! when the Api is built.

use restwright_core::BuildContext;

use crate::filter::{FilterSet, SharedFilters};
use crate::operator::Operator;
use crate::sort::{SharedSort, SortSpec};

/// Returns the names of the filter and sort fields of the operation. A store uses the names to check that its table has
/// these columns. Request parts whose `plan` method has not run yet are not included, so declare the filters and the
/// sort fields first.
///
/// ```
/// use restwright_core::{BuildContext, BuildErrors};
/// use restwright_list::planned_fields;
///
/// fn check(context: &mut BuildContext<'_>, columns: &[&str]) -> Result<(), BuildErrors> {
///     let unknown = planned_fields(context).into_iter().find(|field| !columns.contains(&field.as_str()));
///     unknown.map_or(Ok(()), |field| Err(BuildErrors::one(format!("the table has no column `{field}`"))))
/// }
/// ```
pub fn planned_fields(context: &mut BuildContext<'_>) -> Vec<String> {
    let filters = context.operation_state::<SharedFilters>().clone();
    let sort = context.operation_state::<SharedSort>().clone();
    let filtered = filters.get().into_iter().flat_map(|set| FilterSet::declared_names(set));
    let sorted = sort.get().into_iter().flat_map(|spec| SortSpec::declared_fields(spec));
    filtered.chain(sorted).map(str::to_owned).collect()
}

/// The fields that a list can be filtered and sorted by. A store compares them with the indexes of its table.
///
/// ```
/// use restwright_list::{Operator, PlannedList};
///
/// let list = PlannedList::new().filter("name", [Operator::Eq]).order("name").order("id");
/// assert_eq!(list.orders().collect::<Vec<_>>(), ["name", "id"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a list has no effect until it is passed to a store"]
pub struct PlannedList {
    filters: Vec<(String, Vec<Operator>)>,
    orders: Vec<String>,
    relations: Vec<(String, String)>,
}

impl PlannedList {
    /// Creates a list without filter and sort fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the filter and sort fields that the request parts of the operation declare. Request parts whose `plan`
    /// method has not run yet are not included.
    pub fn of_request(context: &mut BuildContext<'_>) -> Self {
        let filters = context.operation_state::<SharedFilters>().clone();
        let sort = context.operation_state::<SharedSort>().clone();
        let filters = filters.get().into_iter().flat_map(|set| FilterSet::operators(set));
        let sorted = sort.get().into_iter().flat_map(|spec| SortSpec::declared_fields(spec));
        let list = filters.fold(Self::new(), |list, (field, operators)| list.filter(field, operators.iter().copied()));
        sorted.fold(list, Self::order)
    }

    /// Adds a filter field with its operators.
    pub fn filter(mut self, field: impl Into<String>, operators: impl IntoIterator<Item = Operator>) -> Self {
        self.filters.push((field.into(), operators.into_iter().collect()));
        self
    }

    /// Adds a sort field.
    pub fn order(mut self, field: impl Into<String>) -> Self {
        self.orders.push(field.into());
        self
    }

    /// Adds a relation whose fields the filters or the order name, such as `customer` in `customer.name`. `entity` is the entity definition of
    /// the related entities.
    pub fn relation(mut self, name: impl Into<String>, entity: impl Into<String>) -> Self {
        self.relations.push((name.into(), entity.into()));
        self
    }

    /// Returns the filter fields with their operators.
    pub fn filters(&self) -> impl Iterator<Item = (&str, &[Operator])> {
        self.filters.iter().map(|(field, operators)| (field.as_str(), operators.as_slice()))
    }

    /// Returns the sort fields.
    pub fn orders(&self) -> impl Iterator<Item = &str> {
        self.orders.iter().map(String::as_str)
    }

    /// Returns the entity definition and the name of a related field, such as `customer.name`. Returns `None` for a field of the list itself.
    #[must_use]
    pub fn related<'f>(&self, field: &'f str) -> Option<(&str, &'f str)> {
        let (relation, field) = field.split_once('.')?;
        let (_, entity) = self.relations.iter().find(|(name, _)| name == relation)?;
        Some((entity, field))
    }
}
