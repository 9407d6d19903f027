//! [`SortBag`]: the order of one request.

use std::cmp::Ordering;

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{Head, Part, Planner, StartErrors};

use super::{Direction, FieldName, Sort, SortPlan};
use crate::record::Record;

/// The order that a client wants, and as a part of a request what reads `order_by=name,-born`.
///
/// It is always filled: what is requested, or else the declared defaults, and then the identifier in the direction of the
/// last field, unless it stands there already. So two items are never in the same place.
#[derive(Clone, Debug)]
pub struct SortBag<F = FieldName> {
    entries: Vec<SortEntry<F>>,
}

/// One field of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortEntry<F = FieldName> {
    /// The field.
    pub field: F,
    /// Its direction.
    pub direction: Direction,
    /// Whether the client asked for it.
    pub requested: bool,
}

impl<F: Sort> SortEntry<F> {
    /// The name of the field.
    #[must_use]
    pub fn name(&self) -> &str {
        self.field.name()
    }
}

impl<F: Sort> SortBag<F> {
    pub(super) fn new(entries: Vec<SortEntry<F>>) -> Self {
        Self { entries }
    }

    /// The fields, the most significant first.
    pub fn iter(&self) -> std::slice::Iter<'_, SortEntry<F>> {
        self.entries.iter()
    }

    /// Whether the client asked for an order.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.entries.iter().any(|entry| entry.requested)
    }

    /// Which of two items comes first.
    #[must_use]
    pub fn compare(&self, left: &(impl Record + ?Sized), right: &(impl Record + ?Sized)) -> Ordering {
        let orders = self.entries.iter().map(|entry| {
            let name = entry.name();
            entry.direction.of(left.value(name).cmp(&right.value(name)))
        });
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl<'b, F: Sort> IntoIterator for &'b SortBag<F> {
    type Item = &'b SortEntry<F>;
    type IntoIter = std::slice::Iter<'b, SortEntry<F>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl<F: Sort> Part for SortBag<F> {
    type Plan = SortPlan;

    fn plan(planner: &mut Planner<'_>) -> Result<SortPlan, StartErrors> {
        SortPlan::new(F::declare(planner.route())?, planner)
    }

    fn describe(plan: &SortPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &SortPlan, head: &Head<'_>, violations: &mut RequestViolations) -> Option<Self> {
        plan.read(head, violations)
    }
}
