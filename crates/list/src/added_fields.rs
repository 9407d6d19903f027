//! Defines [`AddedFields`], the fields of a list that its request does not declare.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, RequestHead};

use crate::expression::Condition;
use crate::filter::{AddedFilterFields, FilterFields, FilterSet, SharedFilters};
use crate::sort::AddedSortFields;

/// The filter and sort fields of a list that its request does not declare, such as the fields of related entities.
///
/// The typed filters and the typed order of the request do not contain these fields. [`AddedFilters`] reads the conditions, and a
/// [`SortBag`](crate::SortBag) of [`FieldName`](crate::FieldName) contains the sort fields.
#[derive(Clone, Debug, Default)]
#[must_use = "fields have no effect until they are added to an operation"]
pub struct AddedFields {
    filters: FilterFields,
    orders: Vec<Cow<'static, str>>,
}

impl AddedFields {
    /// Creates a set of fields.
    pub fn new(filters: FilterFields, orders: impl IntoIterator<Item = String>) -> Self {
        Self { filters, orders: orders.into_iter().map(Cow::Owned).collect() }
    }

    /// Adds the fields to the operation that is being planned. Call it before the filters and the order are planned.
    pub fn add_to(self, context: &mut BuildContext<'_>) {
        *context.operation_state() = AddedFilterFields(self.filters);
        *context.operation_state() = AddedSortFields(self.orders);
    }
}

/// Reads the conditions on the [`AddedFields`] of an operation.
#[derive(Clone, Debug)]
pub struct AddedFilters {
    set: Arc<FilterSet>,
    shared: SharedFilters,
}

impl AddedFilters {
    /// Returns the added filters of the operation, or `None` if there are none. The filters of the request must be planned.
    pub fn of_request(context: &mut BuildContext<'_>) -> Option<Self> {
        let shared = context.operation_state::<SharedFilters>().clone();
        let set = shared.get().filter(|set| set.has_added()).cloned()?;
        Some(Self { set, shared: shared.borrowed() })
    }

    /// Reads the conditions of a request on the added fields. Returns `None` if a filter of the request has a violation.
    pub fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Vec<Condition>> {
        let conditions = self.shared.read(head, || self.set.read(head, violations))?;
        Some(self.set.added(conditions))
    }
}
