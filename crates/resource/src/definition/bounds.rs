//! [`ValueBounds`]: the bounds that a property declares for its values.

/// The bounds that the property of a field declares for its values. A store compares them with its columns when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueBounds {
    /// The largest number of characters of a string.
    pub max_length: Option<u64>,
    /// The smallest integer.
    pub minimum: Option<i64>,
    /// The largest integer.
    pub maximum: Option<i64>,
}

impl ValueBounds {
    /// Returns the bounds that contain all values of both.
    pub(crate) fn widened(self, other: Self) -> Self {
        Self {
            max_length: self.max_length.zip(other.max_length).map(|(one, other)| one.max(other)),
            minimum: self.minimum.zip(other.minimum).map(|(one, other)| one.min(other)),
            maximum: self.maximum.zip(other.maximum).map(|(one, other)| one.max(other)),
        }
    }
}

/// The known bounds of a field. All values are equal, because definitions without a schema must equal definitions with one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeclaredBounds(pub(super) Option<ValueBounds>);

impl PartialEq for DeclaredBounds {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for DeclaredBounds {}
