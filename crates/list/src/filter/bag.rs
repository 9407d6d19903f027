//! Defines [`FilterBag`], filters that are declared at run time.

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, Problem, RequestHead, Result};
use serde::de::DeserializeOwned;

use super::{Filter, FilterFields, FilterPlan, Filters};
use crate::expression::Condition;
use crate::value::Value;

/// The filters of a request, for fields that are declared at run time. Add the [`FilterFields`] to the route with
/// [`Route::with`](restwright_core::Route::with).
#[derive(Clone, Debug, Default)]
pub struct FilterBag {
    filters: Vec<(String, Filter<Value<'static>>)>,
}

impl FilterBag {
    /// Returns the filter of a field, with its values converted to `T`. The filter is empty if the field is not
    /// declared.
    ///
    /// Dates, date-times and UUIDs are parsed from their strings.
    ///
    /// ```
    /// use restwright_list::{Filter, FilterBag};
    ///
    /// let bag: FilterBag = [("age", Filter::eq(7.into()))].into_iter().collect();
    /// assert_eq!(bag.read::<u8>("age").unwrap().equals(), Some(&7));
    /// assert!(bag.read::<bool>("age").is_err());
    /// ```
    ///
    /// # Errors
    /// Fails with status 500 if `T` rejects a value, because the declared field and the code then disagree. The log
    /// names the field.
    pub fn read<T: DeserializeOwned>(&self, field: &str) -> Result<Filter<T>> {
        let Some(filter) = self.get(field) else { return Ok(Filter::default()) };
        let refused = |error| Problem::internal(format!("the filter `{field}`: {error}"));
        filter.try_map(|value| T::deserialize(value.to_json())).map_err(refused)
    }

    /// Sets the filter of a field.
    pub fn insert<T>(&mut self, field: impl Into<String>, filter: Filter<T>) {
        let (field, filter) = (field.into(), filter.into_untyped());
        match self.filters.iter_mut().find(|(name, _)| *name == field) {
            Some((_, known)) => *known = filter,
            None => self.filters.push((field, filter)),
        }
    }

    /// Returns the filter of a field, or `None` if the field is not declared.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Filter<Value<'static>>> {
        self.filters.iter().find(|(name, _)| name == field).map(|(_, filter)| filter)
    }

    /// Returns the filter of each field, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Filter<Value<'static>>)> {
        self.filters.iter().map(|(name, filter)| (name.as_str(), filter))
    }
}

/// Creates a bag from pairs of field names and filters, such as `[("name", Filter::contains("re"))]`.
impl<N: Into<String>> FromIterator<(N, Filter<Value<'static>>)> for FilterBag {
    fn from_iter<I: IntoIterator<Item = (N, Filter<Value<'static>>)>>(filters: I) -> Self {
        Self { filters: filters.into_iter().map(|(name, filter)| (name.into(), filter)).collect() }
    }
}

impl Filters for FilterBag {
    fn conditions(&self) -> Vec<Condition> {
        self.filters.iter().flat_map(|(name, filter)| filter.conditions(name.clone())).collect()
    }
}

impl Part for FilterBag {
    type Plan = FilterPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<FilterPlan, BuildErrors> {
        match context.route().setting::<FilterFields>() {
            Some(fields) => FilterPlan::new(fields, context),
            None => Err(BuildErrors::one(
                "the request has a `FilterBag`, but the route declares no filters; add `.with(FilterFields::new()..)` to the route",
            )),
        }
    }

    fn describe(plan: &FilterPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &FilterPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let mut conditions = plan.read(head, violations)?;
        let filters = plan.names().enumerate().map(|(index, name)| (name.to_owned(), conditions.take_values(index)));
        Some(Self { filters: filters.collect() })
    }
}
