//! Defines [`Constraint`], a constraint on a value, such as `min_length`.

use crate::format::Format;
use crate::number::Number;

/// One constraint on a value. Each type rejects constraints that do not fit it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constraint {
    MinLength(usize),
    MaxLength(usize),
    Pattern(String),
    Format(Format),
    Minimum(Number),
    Maximum(Number),
    ExclusiveMinimum(Number),
    ExclusiveMaximum(Number),
    MultipleOf(Number),
    Scale(u32),
    MinItems(usize),
    MaxItems(usize),
    UniqueItems,
    MinProperties(usize),
    MaxProperties(usize),
    MaxSize(u64),
    Accept(String),
    CheckContent,
}

impl Constraint {
    /// Returns the name of the constraint in declarations, such as `min_length`.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::MinLength(_) => "min_length",
            Self::MaxLength(_) => "max_length",
            Self::Pattern(_) => "pattern",
            Self::Format(_) => "format",
            Self::Minimum(_) => "minimum",
            Self::Maximum(_) => "maximum",
            Self::ExclusiveMinimum(_) => "exclusive_minimum",
            Self::ExclusiveMaximum(_) => "exclusive_maximum",
            Self::MultipleOf(_) => "multiple_of",
            Self::Scale(_) => "scale",
            Self::MinItems(_) => "min_items",
            Self::MaxItems(_) => "max_items",
            Self::UniqueItems => "unique_items",
            Self::MinProperties(_) => "min_properties",
            Self::MaxProperties(_) => "max_properties",
            Self::MaxSize(_) => "max_size",
            Self::Accept(_) => "accept",
            Self::CheckContent => "check_content",
        }
    }
}

/// The error returned if a constraint cannot be added to a schema type.
#[derive(Debug)]
pub(crate) enum ConstraintError {
    /// The constraint does not apply to this type.
    Misfit,
    /// The constraint applies to this type, but its argument is invalid. The message includes what to write instead.
    Invalid(String),
}

/// Returns an error message if the lower bound is above the upper bound. An example is `minimum: 3, maximum: 2`.
pub(crate) fn conflict<T: PartialOrd + std::fmt::Display>(
    (lower_name, lower): (&str, Option<T>),
    (upper_name, upper): (&str, Option<T>),
) -> Option<String> {
    match (lower, upper) {
        (Some(lower), Some(upper)) if lower > upper => Some(format!(
            "`{lower_name}` ({lower}) is greater than `{upper_name}` ({upper}), so no value is valid; change one of them"
        )),
        _ => None,
    }
}
