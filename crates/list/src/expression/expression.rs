//! [`Expression`]: conditions, combined.

use std::borrow::Cow;

use super::{Comparison, Condition};
use crate::record::Record;
use crate::value::Value;

/// What holds for the items of a list.
///
/// What a client gives is an [`All`](Self::All) of conditions; a position in a list is an [`Any`](Self::Any) of such. Every
/// expression holds or does not hold for a record: null has no third answer, [`Operator`](crate::Operator) says which.
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
/// let short = Expression::of("word", Comparison::Lt("n".into()));
/// assert!(short.holds(&Word("m")));
/// assert!(!short.clone().and(Expression::of("word", Comparison::Ne("m".into()))).holds(&Word("m")));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// Every one holds; true when there is none.
    All(Vec<Self>),
    /// At least one holds; false when there is none.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
    /// One field compares as it says.
    Condition(Condition),
}

impl Expression {
    /// What holds for everything.
    pub const TRUE: Self = Self::All(Vec::new());

    /// One condition.
    #[must_use]
    pub fn of(field: impl Into<Cow<'static, str>>, comparison: Comparison<Value<'static>>) -> Self {
        Self::Condition(Condition::new(field, comparison))
    }

    /// Both hold.
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

    /// Whether it holds for a record.
    #[must_use]
    pub fn holds(&self, record: &(impl Record + ?Sized)) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(record)),
            Self::Any(any) => any.iter().any(|one| one.holds(record)),
            Self::Not(one) => !one.holds(record),
            Self::Condition(condition) => condition.holds(record),
        }
    }

    /// A field that it names and that records of this type do not have.
    pub(crate) fn unknown_field<R: Record>(&self) -> Option<&str> {
        match self {
            Self::All(several) | Self::Any(several) => several.iter().find_map(Self::unknown_field::<R>),
            Self::Not(one) => one.unknown_field::<R>(),
            Self::Condition(condition) => Some(&*condition.field).filter(|field| !R::has_field(field)),
        }
    }
}

impl From<Condition> for Expression {
    fn from(condition: Condition) -> Self {
        Self::Condition(condition)
    }
}
