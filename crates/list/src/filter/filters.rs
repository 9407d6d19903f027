//! Defines [`Filters`], the trait for all filters of a list.

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
