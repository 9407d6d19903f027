//! Defines [`Operator`], the operators of filter conditions.

use std::fmt;

use crate::value::ValueType;

/// An operator of a filter condition, which compares a field with the operands in the query.
///
/// | operator | operand | matches | null | constraints of the type |
/// |---|---|---|---|---|
/// | `eq` | a value | this value | no | all |
/// | `ne` | a value | all other values | matches | all |
/// | `in` | 1 to 100 values | these values | no | all |
/// | `gt`, `gte`, `lt`, `lte` | a value | greater, at least, less, at most | no | all except string constraints |
/// | `between` | two values | both values and all between them | no | all except string constraints |
/// | `contains`, `starts_with`, `ends_with` | a string | strings that contain, start or end with it, ignoring case | no | none |
/// | `has` | a value | lists that contain this value; a field with `has` has no other operator | no | all |
/// | `is_null` | true or false | null (true), or every other value (false) | | |
///
/// Operands must satisfy the constraints of the field's type. Lengths, patterns and formats apply only to whole
/// strings, so only `eq`, `ne`, `in` and `has` check them. A search string or the end of a range may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operator {
    /// The field equals the operand.
    Eq,
    /// The field does not equal the operand, or is null.
    Ne,
    /// The field equals one of several operands.
    In,
    /// The field is greater than the operand.
    Gt,
    /// The field is greater than or equal to the operand.
    Gte,
    /// The field is less than the operand.
    Lt,
    /// The field is less than or equal to the operand.
    Lte,
    /// The field is between the two operands, or equals one of them.
    Between,
    /// The field contains a string, ignoring case.
    Contains,
    /// The field starts with a string, ignoring case.
    StartsWith,
    /// The field ends with a string, ignoring case.
    EndsWith,
    /// The field is null (operand `true`) or not null (operand `false`).
    IsNull,
    /// The field is a list that contains the operand.
    Has,
}

impl Operator {
    /// All operators.
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
        Self::Has,
    ];

    /// Returns the operators that fields of this type support.
    #[must_use]
    pub fn for_type(value_type: ValueType) -> &'static [Self] {
        match value_type {
            ValueType::Text => &[
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
            ],
            ValueType::Integer
            | ValueType::Number
            | ValueType::Float
            | ValueType::Decimal
            | ValueType::Date
            | ValueType::DateTime => {
                &[Self::Eq, Self::Ne, Self::In, Self::Gt, Self::Gte, Self::Lt, Self::Lte, Self::Between, Self::IsNull]
            }
            // UUIDs can be sorted, but ranges of UUIDs are not useful.
            ValueType::Enumeration | ValueType::Uuid => &[Self::Eq, Self::Ne, Self::In, Self::IsNull],
            ValueType::Boolean => &[Self::Eq, Self::Ne, Self::IsNull],
            ValueType::Json => &[],
        }
    }

    /// Returns `true` if lists of values of this type support [`Has`](Self::Has): every store has the same form of such an item.
    #[must_use]
    pub fn has_items(value_type: ValueType) -> bool {
        matches!(
            value_type,
            ValueType::Text | ValueType::Enumeration | ValueType::Integer | ValueType::Boolean | ValueType::Date
        )
    }

    /// Returns the name of the operator in query parameters, such as `starts_with`.
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
            Self::Has => "has",
        }
    }

    /// Returns the operator with this name in query parameters, or `None`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operator| operator.as_str() == name)
    }

    /// Returns `true` for the string searches `contains`, `starts_with` and `ends_with`.
    #[must_use]
    pub fn is_search(self) -> bool {
        matches!(self, Self::Contains | Self::StartsWith | Self::EndsWith)
    }

    /// Returns `true` for `eq`, `ne` and `in`, whose operands must be valid values of the field.
    pub(crate) fn compares_whole_values(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::In | Self::Has)
    }

    /// Returns `true` for operators that accept several operands, separated by commas or in repeated parameters.
    pub(crate) fn takes_several(self) -> bool {
        matches!(self, Self::In | Self::Between)
    }

    /// Returns the sentence that describes the operator in the OpenAPI document.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Eq => "Equals this value.",
            Self::Ne => "Does not equal this value. Null also matches.",
            Self::In => {
                "Equals one of these values. Separate values with commas or repeat the parameter. Within a value, a comma is `\\,`, \
                 percent-encoded or not, and a backslash `\\\\`."
            }
            Self::Gt => "Is greater than this value.",
            Self::Gte => "Is at least this value.",
            Self::Lt => "Is less than this value.",
            Self::Lte => "Is at most this value.",
            Self::Between => {
                "Is between these two values, both included. Separate them with a comma or repeat the parameter. Within a value, a comma is `\\,`, \
                 percent-encoded or not, and a backslash `\\\\`."
            }
            Self::Contains => "Contains this string, ignoring case.",
            Self::StartsWith => "Starts with this string, ignoring case.",
            Self::EndsWith => "Ends with this string, ignoring case.",
            Self::Has => "Is a list that contains this value.",
            Self::IsNull => "Is null (`true`) or is not null (`false`).",
        }
    }

    /// Returns a sentence about the operand in a JSON body.
    pub(crate) fn body_phrase(self) -> &'static str {
        match self {
            Self::In => "Equals one of these values.",
            Self::Between => "Is between these two values, both included.",
            other => other.phrase(),
        }
    }

    /// Returns the bit that represents the operator in a bit set.
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
