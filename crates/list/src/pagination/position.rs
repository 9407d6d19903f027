//! Defines [`Position`], a position between the items of a sorted list.

use std::borrow::Cow;

use crate::expression::{Comparison, Expression};
use crate::sort::Direction;
use crate::value::Value;

/// A position in a sorted list, and the direction to read in. The position is given by the sort fields of one item,
/// including its identifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The sort fields with their directions and values.
    pub(super) fields: Vec<(Cow<'static, str>, Direction, Value<'static>)>,
    pub(super) backward: bool,
    pub(super) inclusive: bool,
}

impl Position {
    /// Creates the position after an item. `fields` contains the sort fields of the item.
    #[must_use]
    pub fn after(fields: impl IntoIterator<Item = (Cow<'static, str>, Direction, Value<'static>)>) -> Self {
        Self { fields: fields.into_iter().collect(), backward: false, inclusive: false }
    }

    /// Returns the same position for reading backward. A store then reads the items before the position instead of the
    /// items after it.
    #[must_use]
    pub fn backward(mut self) -> Self {
        self.backward = true;
        self
    }

    /// Returns `true` if a window at this position reads the items before the position.
    #[must_use]
    pub fn is_backward(&self) -> bool {
        self.backward
    }

    /// Returns the sort fields with their directions and values, in sort order.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Direction, &Value<'static>)> {
        self.fields.iter().map(|(field, direction, value)| (field.as_ref(), *direction, value))
    }

    /// Returns `true` if a window at this position also reads the item at the position.
    #[must_use]
    pub fn is_inclusive(&self) -> bool {
        self.inclusive
    }

    /// Returns an expression that holds for the items after the position. For a backward position, the expression holds
    /// for the items before the position.
    ///
    /// ```
    /// # use restwright_list::{Direction, Position};
    /// let fields = [("name".into(), Direction::Ascending, "Rex".into()), ("id".into(), Direction::Ascending, 7.into())];
    /// // name > "Rex" or (name = "Rex" and id > 7)
    /// let wanted = Position::after(fields).expression();
    /// ```
    #[must_use]
    pub fn expression(&self) -> Expression {
        let mut alternatives = Vec::new();
        let mut same = Vec::new();
        for (field, direction, value) in &self.fields {
            let direction = if self.backward { direction.reversed() } else { *direction };
            if let Some(beyond) = beyond(field.clone(), direction, value) {
                let mut all = same.clone();
                all.push(beyond);
                alternatives.push(Expression::All(all));
            }
            same.push(at(field.clone(), value));
        }
        if self.inclusive {
            alternatives.push(Expression::All(same));
        }
        Expression::Any(alternatives)
    }

    /// Returns the same position for reading in the opposite direction. It is inclusive if this position is exclusive.
    #[cfg(feature = "cursor")]
    pub(super) fn turned(&self) -> Self {
        Self { fields: self.fields.clone(), backward: !self.backward, inclusive: !self.inclusive }
    }
}

fn at(field: Cow<'static, str>, value: &Value<'static>) -> Expression {
    let comparison = if value.is_null() { Comparison::IsNull(true) } else { Comparison::Eq(value.clone()) };
    Expression::condition(field, comparison)
}

/// Returns the condition that selects the field values after `value` in the sort order, or `None` if there are no such
/// values. Null is the smallest value.
fn beyond(field: Cow<'static, str>, direction: Direction, value: &Value<'static>) -> Option<Expression> {
    match (direction, value.is_null()) {
        (Direction::Ascending, true) => Some(Expression::condition(field, Comparison::IsNull(false))),
        (Direction::Ascending, false) => Some(Expression::condition(field, Comparison::Gt(value.clone()))),
        (Direction::Descending, true) => None,
        (Direction::Descending, false) => {
            let below = Expression::condition(field.clone(), Comparison::Lt(value.clone()));
            Some(Expression::Any(vec![below, Expression::condition(field, Comparison::IsNull(true))]))
        }
    }
}
