//! Defines [`Exists`], a condition that a related record exists.

use std::borrow::Cow;

use super::{Comparison, Expression};
use crate::record::Record;

/// A condition that a related record exists. Stores reject an `Exists` inside another `Exists`.
///
/// Only a store can evaluate this condition, because the store contains the related records. [`Expression::holds`]
/// returns `false` for an `Exists`, and [`apply`](crate::apply) fails.
///
/// ```
/// use restwright_list::{Exists, Expression, Field, Related};
///
/// // The tickets of the projects of user 7.
/// let user_id: Field<i64> = Field::new("user_id");
/// let exists = Exists::new("memberships", Related::same("project_id", "project_id").and(user_id.eq(7)));
/// assert_eq!(exists.related(), "memberships");
/// let tickets = Expression::from(exists);
/// # let _ = tickets;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Exists {
    related: Cow<'static, str>,
    conditions: Related,
}

/// The conditions that the related record of an [`Exists`] must satisfy. The fields of the related record are compared
/// with fields of the original record, or with values in an [`Expression`].
///
/// [`Field::same_as`](crate::Field::same_as) creates the conditions with names and types that the compiler checks.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "conditions do nothing until an `Exists` contains them"]
pub struct Related {
    links: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    condition: Box<Expression>,
}

impl Related {
    /// Creates the condition that `related_field` of the related record equals `field` of the original record. Null
    /// does not equal null.
    pub fn same(related_field: impl Into<Cow<'static, str>>, field: impl Into<Cow<'static, str>>) -> Self {
        Self { links: vec![(related_field.into(), field.into())], condition: Box::new(Expression::TRUE) }
    }

    /// Adds conditions that the related record must also satisfy. `other` may be an [`Expression`] on fields of the
    /// related record.
    pub fn and(mut self, other: impl Into<Self>) -> Self {
        let other = other.into();
        self.links.extend(other.links);
        Self { links: self.links, condition: Box::new(self.condition.and(*other.condition)) }
    }
}

impl From<Expression> for Related {
    fn from(condition: Expression) -> Self {
        Self { links: Vec::new(), condition: Box::new(condition) }
    }
}

impl Exists {
    /// Creates the condition that a related record exists and satisfies `conditions`. `related` is the name under which
    /// the related records are defined.
    #[must_use]
    pub fn new(related: impl Into<Cow<'static, str>>, conditions: impl Into<Related>) -> Self {
        Self { related: related.into(), conditions: conditions.into() }
    }

    /// Returns the name of the relation to the related records, such as `memberships`.
    #[must_use]
    pub fn related(&self) -> &str {
        &self.related
    }

    /// Returns the pairs of fields that must have equal values. The first field belongs to the related record, and the
    /// second field to the original record.
    pub fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.conditions.links.iter().map(|(related, field)| (related.as_ref(), field.as_ref()))
    }

    /// Returns the condition that the related record must satisfy in addition to the equal fields.
    #[must_use]
    pub fn condition(&self) -> &Expression {
        &self.conditions.condition
    }

    /// Adds the condition that `related_field` of the related record equals `field` of the original record.
    #[must_use]
    pub fn linked(mut self, related_field: impl Into<Cow<'static, str>>, field: impl Into<Cow<'static, str>>) -> Self {
        self.conditions = self.conditions.and(Related::same(related_field, field));
        self
    }

    /// Returns the condition that selects the records related to `record`. Returns `None` if a linked field of `record`
    /// is null, because no related record matches null.
    #[must_use]
    pub fn related_to(&self, record: &(impl Record + ?Sized)) -> Option<Expression> {
        let mut all = self.condition().clone();
        for (related, field) in &self.conditions.links {
            let value = record.value(field).into_owned();
            if value.is_null() {
                return None;
            }
            all = all.and(Expression::condition(related.clone(), Comparison::Eq(value)));
        }
        Some(all)
    }
}
