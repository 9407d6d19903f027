//! [`Direction`]: ascending or descending.

use std::cmp::Ordering;

/// The direction of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the smallest, which is null.
    Ascending,
    /// From the largest.
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

    /// Turns the ascending order of two values into their order in this direction.
    #[must_use]
    pub fn apply(self, ascending: Ordering) -> Ordering {
        match self {
            Self::Ascending => ascending,
            Self::Descending => ascending.reverse(),
        }
    }

    /// Returns the prefix of a field on the wire.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Ascending => "",
            Self::Descending => "-",
        }
    }
}
