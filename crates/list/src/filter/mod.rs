//! Contains the filters of lists. A filter is a condition in the query string, and every returned item must satisfy it.
//!
//! Derive [`Filters`] for a struct with one [`Filter`] per field. For fields that are declared at run time, use a
//! [`FilterBag`]. Both use [`FilterFields`] for the declaration, and a [`FilterPlan`] to parse requests.

mod bag;
mod conditions;
mod field;
mod fields;
mod filter_constructors;
mod filter_violations;
mod filters;
mod list;
mod name;
mod operand;
mod plan;
mod tree;

use std::borrow::Cow;

pub use bag::FilterBag;
pub use conditions::{CheckOperand, Conditions, check_operand};
pub use fields::FilterFields;
pub use filters::Filters;
pub use plan::FilterPlan;
pub(crate) use plan::{AddedFilterFields, FilterSet, SharedFilters};
#[cfg(feature = "cursor")]
pub(crate) use tree::CursorFilter;
pub use tree::{FilterTree, ReadConditions};

use crate::expression::{Comparison, Condition};
use crate::operator::Operator;
use crate::value::Value;

/// The conditions that a request contains for one field. Items must satisfy every condition.
///
/// ```
/// use restwright_list::{Comparison, Filter};
///
/// fn lightest(weight_kg: &Filter<f64>) -> Option<f64> {
///     weight_kg.iter().find_map(|given| match given.comparison() {
///         Comparison::Gt(weight) | Comparison::Gte(weight) => Some(*weight),
///         _ => None,
///     })
/// }
/// assert_eq!(lightest(&Filter::default()), None);
/// ```
#[derive(Clone, Debug)]
pub struct Filter<T> {
    given: Vec<FilterCondition<T>>,
}

/// One filter condition of a request, which consists of an operator and its operands.
#[derive(Clone, Debug)]
pub struct FilterCondition<T> {
    comparison: Comparison<T>,
    untyped: Comparison<Value<'static>>,
    raw: String,
}

impl<T> Filter<T> {
    /// Returns `true` if the request contains at least one condition for the field.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// Returns the conditions in the order of the request.
    pub fn iter(&self) -> std::slice::Iter<'_, FilterCondition<T>> {
        self.given.iter()
    }

    /// Returns the condition with this operator, or `None` if there is no such condition.
    #[must_use]
    pub fn get(&self, operator: Operator) -> Option<&FilterCondition<T>> {
        self.given.iter().find(|given| given.operator() == operator)
    }

    /// Returns the operand of the `eq` condition, or `None` if there is no such condition.
    #[must_use]
    pub fn equals(&self) -> Option<&T> {
        self.given.iter().find_map(|given| match &given.comparison {
            Comparison::Eq(value) => Some(value),
            _ => None,
        })
    }

    /// Converts the filter to conditions on the record field `field`, for use in an [`Expression`](crate::Expression).
    pub fn conditions(&self, field: impl Into<Cow<'static, str>>) -> impl Iterator<Item = Condition> {
        let field = field.into();
        self.given.iter().map(move |given| Condition::new(field.clone(), given.untyped.clone()))
    }
}

impl<T> Filter<T> {
    /// Converts the operands of all conditions to [`Value`]s.
    pub(crate) fn into_untyped(self) -> Filter<Value<'static>> {
        let given = self.given.into_iter().map(|FilterCondition { untyped, raw, .. }| FilterCondition {
            comparison: untyped.clone(),
            untyped,
            raw,
        });
        Filter { given: given.collect() }
    }
}

impl Filter<Value<'static>> {
    /// Returns a filter in which each operand is replaced with the result of `map`, or the first error of `map`.
    pub(crate) fn try_map<T, E>(&self, mut map: impl FnMut(&Value<'static>) -> Result<T, E>) -> Result<Filter<T>, E> {
        let given = self.given.iter().map(|given| {
            let comparison = given.untyped.try_map(&mut map)?;
            Ok(FilterCondition { comparison, untyped: given.untyped.clone(), raw: given.raw.clone() })
        });
        Ok(Filter { given: given.collect::<Result<_, E>>()? })
    }
}

impl<T> FilterCondition<T> {
    /// Returns the operator of the condition.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.comparison.operator()
    }

    /// Returns the operator with its operands, as Rust values of the type `T`.
    #[must_use]
    pub fn comparison(&self) -> &Comparison<T> {
        &self.comparison
    }

    /// Returns the operator with its operands, as [`Value`]s.
    #[must_use]
    pub fn untyped(&self) -> &Comparison<Value<'static>> {
        &self.untyped
    }

    /// Returns the operands as the client sent them, percent-decoded. Repeated parameters are joined with commas.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }
}

impl<T> Default for Filter<T> {
    fn default() -> Self {
        Self { given: Vec::new() }
    }
}

impl<'f, T> IntoIterator for &'f Filter<T> {
    type Item = &'f FilterCondition<T>;
    type IntoIter = std::slice::Iter<'f, FilterCondition<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.given.iter()
    }
}
