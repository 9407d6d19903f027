//! Defines [`Filters`], the trait for all filters of a list.

use restwright_core::problem::RequestViolations;
use restwright_core::{Part, RequestHead};

use crate::expression::{Condition, Expression};

/// The filters of a list, usually a derived struct with one [`Filter`](super::Filter) per field.
///
/// ```
/// use restwright_list::{Condition, Filter, Filters};
///
/// // What the derive writes, in addition to the part of the request:
/// struct PetFilters {
///     name: Filter<String>,
///     weight_kg: Filter<f64>,
/// }
///
/// impl Filters for PetFilters {
///     fn conditions(&self) -> Vec<Condition> {
///         self.name.conditions("name").chain(self.weight_kg.conditions("weight_kg")).collect()
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of filters",
    label = "not a set of filters",
    note = "derive `Filters` for a struct of fields such as `name: Filter<String>`"
)]
pub trait Filters {
    /// Returns all conditions of the request. Items must satisfy every condition.
    fn conditions(&self) -> Vec<Condition>;

    /// Returns all conditions as one expression.
    fn expression(&self) -> Expression {
        Expression::All(self.conditions().into_iter().map(Expression::Condition).collect())
    }

    /// Reads the filters of a request as one expression. Lists of resources call this method instead of [`Part::read`].
    ///
    /// It reports the same violations as `Part::read`, and returns `None` after a violation. The derive overrides it and creates no
    /// [`Filter`](super::Filter), so applications compile less code.
    fn read_expression(
        plan: &<Self as Part>::Plan,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<Expression>
    where
        Self: Part + Sized,
    {
        Self::read(plan, head, violations).map(|filters| filters.expression())
    }
}

/// Implements [`Filters`] for a list without filters.
impl Filters for () {
    fn conditions(&self) -> Vec<Condition> {
        Vec::new()
    }
}

/// Combines all conditions into one expression.
impl<F: Filters + ?Sized> From<&F> for Expression {
    fn from(filters: &F) -> Self {
        filters.expression()
    }
}

impl<F: Filters + ?Sized> Filters for &F {
    fn conditions(&self) -> Vec<Condition> {
        (**self).conditions()
    }

    fn expression(&self) -> Expression {
        (**self).expression()
    }
}
