//! Defines [`Direction`], which is ascending or descending.

use std::cmp::Ordering;

/// The direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Sorts from the smallest value to the largest. Null is the smallest value.
    Ascending,
    /// Sorts from the largest value to the smallest. Null is the smallest value, so it is last.
    Descending,
}

impl Direction {
    /// Returns the other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }

    /// Returns `ascending`, or the reverse ordering if the direction is descending.
    #[must_use]
    pub fn apply(self, ascending: Ordering) -> Ordering {
        match self {
            Self::Ascending => ascending,
            Self::Descending => ascending.reverse(),
        }
    }

    /// Returns the prefix for a field in `order_by`, which is `-` if the direction is descending.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Ascending => "",
            Self::Descending => "-",
        }
    }
}
