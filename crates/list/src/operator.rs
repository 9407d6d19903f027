//! [`Operator`]: how a field is compared.

use std::fmt;

use crate::value::ValueType;

/// How a field is compared with what the client gives.
///
/// | operator | takes | holds for | null | constraints of the type |
/// |---|---|---|---|---|
/// | `eq` | a value | the same value | no | all |
/// | `ne` | a value | every other value | holds | all |
/// | `in` | 1 to 100 values | each of them | no | all |
/// | `gt`, `gte`, `lt`, `lte` | a value | values above, from, below, up to it | no | all but those of texts |
/// | `between` | two values | both and what lies between | no | all but those of texts |
/// | `contains`, `starts_with`, `ends_with` | a text | texts with it inside, first, last, ignoring case | no | none |
/// | `is_null` | true or false | null; every value | | |
///
/// A value that is compared satisfies the constraints of its type, as it does anywhere else. Lengths, patterns and formats are about
/// a whole text, so they apply to `eq`, `ne` and `in` alone: a piece of a text, or the end of a range of texts, may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
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
    pub const ALL: &'static [Self] = &[
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

    /// Returns the operators that fit a type of values.
    #[must_use]
    pub fn for_type(value_type: ValueType) -> &'static [Self] {
        match value_type {
            ValueType::Text => Self::ALL,
            ValueType::Integer | ValueType::Number | ValueType::Float | ValueType::Date | ValueType::DateTime => {
                &[Self::Eq, Self::Ne, Self::In, Self::Gt, Self::Gte, Self::Lt, Self::Lte, Self::Between, Self::IsNull]
            }
            // UUIDs can be sorted by, and nobody looks for those above another.
            ValueType::Enumeration | ValueType::Uuid => &[Self::Eq, Self::Ne, Self::In, Self::IsNull],
            ValueType::Boolean => &[Self::Eq, Self::Ne, Self::IsNull],
            ValueType::Json => &[],
        }
    }

    /// Returns the name on the wire.
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

    /// Returns the operator of a name on the wire.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operator| operator.as_str() == name)
    }

    /// Returns `true` for an operator that holds for parts of a text: `contains`, `starts_with` and `ends_with`.
    #[must_use]
    pub fn is_search(self) -> bool {
        matches!(self, Self::Contains | Self::StartsWith | Self::EndsWith)
    }

    /// Returns `true` for an operator that compares with whole values of the field.
    pub(crate) fn compares_whole_values(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::In)
    }

    /// Returns `true` for an operator that takes several values, separated by commas or given one by one.
    pub(crate) fn takes_several(self) -> bool {
        matches!(self, Self::In | Self::Between)
    }

    /// Returns the sentence that the document has for the operator.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Eq => "Equals this.",
            Self::Ne => "Is anything but this, null included.",
            Self::In => {
                "Equals one of these, at least one, separated by commas or given one by one; a comma in a value is `\\,`, \
                 percent-encoded or not, and a backslash `\\\\`."
            }
            Self::Gt => "Is above this.",
            Self::Gte => "Is this or above.",
            Self::Lt => "Is below this.",
            Self::Lte => "Is this or below.",
            Self::Between => {
                "Lies between these two or equals one, separated by a comma or given one by one; a comma in a value is `\\,`, \
                 percent-encoded or not, and a backslash `\\\\`."
            }
            Self::Contains => "Contains this, ignoring case.",
            Self::StartsWith => "Starts with this, ignoring case.",
            Self::EndsWith => "Ends with this, ignoring case.",
            Self::IsNull => "Is null (`true`), or has a value (`false`).",
        }
    }

    /// Returns a bit of its own for each operator.
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
            assert_eq!(Operator::parse(operator.as_str()), Some(*operator));
        }
        assert_eq!(Operator::parse("EQ"), None);
    }
}
