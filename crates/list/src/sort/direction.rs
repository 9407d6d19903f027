//! [`Direction`].

use std::cmp::Ordering;

/// Up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the smallest, which is null.
    Ascending,
    /// From the largest.
    Descending,
}

impl Direction {
    /// The other one.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }

    /// An ascending order of two values in this direction.
    #[must_use]
    pub fn of(self, ascending: Ordering) -> Ordering {
        match self {
            Self::Ascending => ascending,
            Self::Descending => ascending.reverse(),
        }
    }

    /// What stands before a field on the wire.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Ascending => "",
            Self::Descending => "-",
        }
    }
}
