//! Defines [`Code`], the code of a violation.

use std::borrow::Cow;
use std::fmt;

/// The stable code of a violation in a response, such as `min_length`.
///
/// The constants are the codes of this crate. An application adds codes with [`Code::custom`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(Cow<'static, str>);

impl Code {
    /// Creates a code for custom checks of an application.
    #[must_use]
    pub fn custom(code: impl Into<Cow<'static, str>>) -> Self {
        Self(code.into())
    }

    /// Creates a constant code, for crates that define their own codes.
    #[must_use]
    pub const fn from_static(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }

    /// Returns the code as it appears in a response.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! catalogue {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        impl Code {
            $(#[doc = concat!("`", $code, "`: ", $meaning)]
            pub const $name: Self = Self(Cow::Borrowed($code));)*

            /// All codes of this crate, each with a one-line description.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$name, $meaning)),*];
        }
    };
}

catalogue! {
    REQUIRED = "required", "A required property or parameter is missing.";
    TYPE = "type", "The value does not have the declared type.";
    NULL = "null", "The value must not be null.";
    MINIMUM = "minimum", "The number or date-time is below the minimum.";
    MAXIMUM = "maximum", "The number or date-time is above the maximum.";
    EXCLUSIVE_MINIMUM = "exclusive_minimum", "The number is not above the exclusive minimum.";
    EXCLUSIVE_MAXIMUM = "exclusive_maximum", "The number is not below the exclusive maximum.";
    MULTIPLE_OF = "multiple_of", "The number is not a multiple of the declared step.";
    NON_ZERO = "non_zero", "The integer must not be 0.";
    MIN_LENGTH = "min_length", "The string is shorter than the minimum length.";
    MAX_LENGTH = "max_length", "The string is longer than the maximum length.";
    PATTERN = "pattern", "The string does not match the pattern.";
    FORMAT = "format", "The string does not have the declared format.";
    ENUM = "enum", "The value is not one of the allowed values.";
    CONST = "const", "The value is not the constant that is allowed.";
    MIN_ITEMS = "min_items", "The array has fewer items than the minimum.";
    MAX_ITEMS = "max_items", "The array has more items than the maximum.";
    UNIQUE_ITEMS = "unique_items", "An item of the array equals an earlier one.";
    MIN_PROPERTIES = "min_properties", "The object has fewer properties than the minimum.";
    MAX_PROPERTIES = "max_properties", "The object has more properties than the maximum.";
    MAX_SIZE = "max_size", "The file is larger than the maximum size.";
    ACCEPT = "accept", "The media type of the file is not accepted.";
    UNKNOWN_PROPERTY = "unknown_property", "The object does not declare this property.";
    PROPERTY_NAME = "property_name", "The name of a property is not a key of the map.";
    DUPLICATE_PROPERTY = "duplicate_property", "The property occurs more than once.";
    DISCRIMINATOR = "discriminator", "The value of the discriminator is not a known variant.";
    NO_TARGET = "no_target", "A JSON Pointer refers to no value.";
    TEST_FAILED = "test_failed", "The current value differs from the value of a test.";
    INVALID = "invalid", "A custom check rejected the value.";
    UNREADABLE = "unreadable", "The value matches its schema, but the application's type rejects it.";
    TOO_MANY_VALUES = "too_many_values", "A parameter with a single value occurs more than once.";
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&'static str> for Code {
    fn from(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }
}

impl From<String> for Code {
    fn from(code: String) -> Self {
        Self(Cow::Owned(code))
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_names_each_code_once() {
        let codes: std::collections::BTreeSet<_> = Code::ALL.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|(_, meaning)| meaning.ends_with('.')));
    }
}
