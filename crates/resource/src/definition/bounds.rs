//! Defines [`ValueBounds`], the limits that a property declares for its values.

/// The limits that a property declares for its values, such as a maximum length. When a store starts, it compares the bounds with its
/// columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueBounds {
    /// The maximum number of characters of a string.
    pub max_length: Option<u64>,
    /// The smallest integer that the property allows.
    pub minimum: Option<i64>,
    /// The largest integer that the property allows.
    pub maximum: Option<i64>,
}

impl ValueBounds {
    /// Returns the narrowest limits that allow every value that `self` or `other` allows.
    pub(crate) fn widened(self, other: Self) -> Self {
        Self {
            max_length: self.max_length.zip(other.max_length).map(|(one, other)| one.max(other)),
            minimum: self.minimum.zip(other.minimum).map(|(one, other)| one.min(other)),
            maximum: self.maximum.zip(other.maximum).map(|(one, other)| one.max(other)),
        }
    }
}

/// The value bounds of a field, if they are known. Comparing definitions ignores the bounds, because a definition without a schema has no
/// bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeclaredBounds(pub(super) Option<ValueBounds>);

impl PartialEq for DeclaredBounds {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for DeclaredBounds {}
