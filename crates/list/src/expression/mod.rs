//! Defines [`Expression`], a syntax tree of conditions on records.

mod comparison;
mod condition;
mod exists;
mod search_text;

use std::borrow::Cow;

use crate::record::Record;
use crate::value::Value;

pub use comparison::Comparison;
pub use condition::Condition;
pub use exists::{Exists, Related};
pub use search_text::SearchText;

/// A syntax tree of conditions that the items of a list must satisfy.
///
/// The filters of a request become an [`All`](Self::All) of conditions. A cursor position becomes an [`Any`](Self::Any)
/// of such expressions. For every record, an expression is either true or false. Unlike in SQL, null does not lead to a
/// third truth value; [`Operator`](crate::Operator) lists how null compares.
///
/// The [`FIELDS`](crate::RecordFields::FIELDS) of a derived record create conditions whose names and types the compiler
/// checks. Use [`condition`](Self::condition) only for names that are known at run time.
///
/// ```
/// use restwright_list::{Comparison, Expression, Record, Value};
///
/// struct Word(&'static str);
///
/// impl Record for Word {
///     fn has_field(field: &str) -> bool {
///         field == "word"
///     }
///
///     fn value(&self, _: &str) -> Value<'_> {
///         self.0.into()
///     }
/// }
///
/// let short = Expression::condition("word", Comparison::Lt("n".into()));
/// assert!(short.holds(&Word("m")));
/// assert!(!short.clone().and(Expression::condition("word", Comparison::Ne("m".into()))).holds(&Word("m")));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expression {
    /// Holds if every expression in the list holds. An empty list holds.
    All(Vec<Self>),
    /// Holds if at least one expression in the list holds. An empty list does not hold.
    Any(Vec<Self>),
    /// Holds if the inner expression does not hold.
    Not(Box<Self>),
    /// Holds if the condition on one field holds.
    Condition(Condition),
    /// Holds if a related record exists. Only a store can evaluate this condition.
    Exists(Exists),
}

impl Expression {
    /// An expression that holds for every record.
    pub const TRUE: Self = Self::All(Vec::new());

    /// Creates a condition on the field with this name.
    #[must_use]
    pub fn condition(field: impl Into<Cow<'static, str>>, comparison: Comparison<Value<'static>>) -> Self {
        Self::Condition(Condition::new(field, comparison))
    }

    /// Returns an expression that holds if both expressions hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All(mut left), Self::All(right)) => {
                left.extend(right);
                Self::All(left)
            }
            (Self::All(mut left), right) => {
                left.push(right);
                Self::All(left)
            }
            (left, right) => Self::All(vec![left, right]),
        }
    }

    /// Returns an expression that holds if at least one of the two expressions holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any(mut left), Self::Any(right)) => {
                left.extend(right);
                Self::Any(left)
            }
            (Self::Any(mut left), right) => {
                left.push(right);
                Self::Any(left)
            }
            (left, right) => Self::Any(vec![left, right]),
        }
    }

    /// Returns `true` if the expression holds for a record. An [`Exists`](Self::Exists) does not hold, because only a
    /// store can evaluate it.
    #[must_use]
    pub fn holds(&self, record: &(impl Record + ?Sized)) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(record)),
            Self::Any(any) => any.iter().any(|one| one.holds(record)),
            Self::Not(one) => !one.holds(record),
            Self::Condition(condition) => condition.holds(record),
            Self::Exists(_) => false,
        }
    }

    /// Returns the first condition on related records in the expression. Only a store can evaluate it.
    #[must_use]
    pub fn first_exists(&self) -> Option<&Exists> {
        match self {
            Self::All(several) | Self::Any(several) => several.iter().find_map(Self::first_exists),
            Self::Not(one) => one.first_exists(),
            Self::Exists(exists) => Some(exists),
            Self::Condition(_) => None,
        }
    }

    /// Returns the first field in the expression that does not exist in records of the type `R`.
    pub(crate) fn unknown_field<R: Record>(&self) -> Option<&str> {
        match self {
            Self::All(several) | Self::Any(several) => several.iter().find_map(Self::unknown_field::<R>),
            Self::Not(one) => one.unknown_field::<R>(),
            Self::Condition(condition) => Some(condition.field()).filter(|field| !R::has_field(field)),
            // A record does not contain its related records.
            Self::Exists(exists) => Some(exists.related()),
        }
    }
}

impl std::ops::Not for Expression {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl From<Exists> for Expression {
    fn from(exists: Exists) -> Self {
        Self::Exists(exists)
    }
}

impl From<Condition> for Expression {
    fn from(condition: Condition) -> Self {
        Self::Condition(condition)
    }
}
