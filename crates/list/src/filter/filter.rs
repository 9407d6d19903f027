//! [`Filter`]: what was given for one field.

use std::borrow::Cow;

use crate::expression::{Comparison, Condition};
use crate::operator::Operator;
use crate::value::Value;

/// The conditions that a client gave for one field; all of them hold for what it wants.
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
    pub(super) given: Vec<FilterCondition<T>>,
}

/// One condition as it was given.
#[derive(Clone, Debug)]
pub struct FilterCondition<T> {
    pub(super) comparison: Comparison<T>,
    pub(super) untyped: Comparison<Value<'static>>,
    pub(super) raw: String,
}

impl<T> Filter<T> {
    /// Whether there is any condition.
    #[must_use]
    pub fn is_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// The conditions in the order in which they were given.
    pub fn iter(&self) -> std::slice::Iter<'_, FilterCondition<T>> {
        self.given.iter()
    }

    /// The condition with this operator.
    #[must_use]
    pub fn get(&self, operator: Operator) -> Option<&FilterCondition<T>> {
        self.given.iter().find(|given| given.operator() == operator)
    }

    /// The value that the field has to equal, if there is one.
    #[must_use]
    pub fn equals(&self) -> Option<&T> {
        self.given.iter().find_map(|given| match &given.comparison {
            Comparison::Eq(value) => Some(value),
            _ => None,
        })
    }

    /// The conditions as nodes of the syntax tree, on the field of this name.
    pub fn conditions(&self, field: impl Into<Cow<'static, str>>) -> impl Iterator<Item = Condition> {
        let field = field.into();
        self.given.iter().map(move |given| Condition::new(field.clone(), given.untyped.clone()))
    }
}

impl<T> FilterCondition<T> {
    /// The operator.
    #[must_use]
    pub fn operator(&self) -> Operator {
        self.comparison.operator()
    }

    /// The operator with its typed values.
    #[must_use]
    pub fn comparison(&self) -> &Comparison<T> {
        &self.comparison
    }

    /// The same with values as expressions have them.
    #[must_use]
    pub fn untyped(&self) -> &Comparison<Value<'static>> {
        &self.untyped
    }

    /// The text as the client sent it, decoded; of a repeated `in`, its texts with commas between them.
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
