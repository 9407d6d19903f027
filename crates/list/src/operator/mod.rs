//! [`Operator`]: how a field is compared.
//!
//! Each family of operators is one file: what they take from the query, and when they hold.

pub(crate) mod equality;
pub(crate) mod null;
pub(crate) mod ordering;
pub(crate) mod search;

use std::fmt;

/// How a field is compared with what the client gives.
///
/// | operator | takes | holds for | null |
/// |---|---|---|---|
/// | `eq` | a value | the same value | no |
/// | `ne` | a value | every other value | holds |
/// | `in` | 1 to 100 values | each of them | no |
/// | `gt`, `gte`, `lt`, `lte` | a value | values above, from, below, up to it | no |
/// | `between` | two values | both and what lies between | no |
/// | `contains`, `starts_with`, `ends_with` | a text | texts with it inside, first, last, ignoring case | no |
/// | `is_null` | true or false | null; every value | |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// Equals.
    Eq,
    /// Does not equal.
    Ne,
    /// Equals one of several.
    In,
    /// Is above.
    Gt,
    /// Is above or equals.
    Gte,
    /// Is below.
    Lt,
    /// Is below or equals.
    Lte,
    /// Lies between two values or equals one.
    Between,
    /// Contains a text.
    Contains,
    /// Starts with a text.
    StartsWith,
    /// Ends with a text.
    EndsWith,
    /// Is null, or is not.
    IsNull,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 12] = [
        Self::Eq,
        Self::Ne,
        Self::In,
        Self::Gt,
        Self::Gte,
        Self::Lt,
        Self::Lte,
        Self::Between,
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
        Self::IsNull,
    ];

    /// Those of types that have an order.
    pub(crate) const OF_ORDERED: &'static [Self] =
        &[Self::Eq, Self::Ne, Self::In, Self::Gt, Self::Gte, Self::Lt, Self::Lte, Self::Between, Self::IsNull];

    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::In => "in",
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::Lt => "lt",
            Self::Lte => "lte",
            Self::Between => "between",
            Self::Contains => "contains",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::IsNull => "is_null",
        }
    }

    /// The operator of a name on the wire.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.as_str() == name)
    }

    /// What the operator asks for, as the document says it.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Eq => "Equals this.",
            Self::Ne => "Is anything but this, null included.",
            Self::In => {
                "Equals one of these, separated by commas or given one by one; a comma in a value is `\\,`, percent-encoded or \
                 not, and a backslash `\\\\`."
            }
            Self::Gt => "Is above this.",
            Self::Gte => "Is this or above.",
            Self::Lt => "Is below this.",
            Self::Lte => "Is this or below.",
            Self::Between => {
                "Lies between these two or equals one, separated by a comma; a comma in a value is `\\,`, percent-encoded or \
                 not, and a backslash `\\\\`."
            }
            Self::Contains => "Contains this, ignoring case.",
            Self::StartsWith => "Starts with this, ignoring case.",
            Self::EndsWith => "Ends with this, ignoring case.",
            Self::IsNull => "Is null (`true`), or has a value (`false`).",
        }
    }

    pub(crate) fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for operator in Operator::ALL {
            assert_eq!(Operator::parse(operator.as_str()), Some(operator));
        }
        assert_eq!(Operator::parse("EQ"), None);
    }
}
