//! Whether a list is counted.

use std::fmt;

/// How many items there are over all pages, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted(
    /// The number of items.
    pub u64,
);

/// Nobody counted; whether there is more is known from reading one item more than is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncounted;

/// [`Counted`] or [`Uncounted`].
pub trait Totals: Copy + fmt::Debug + sealed::Sealed + Send + Sync + 'static {
    /// Whether the answer has the total.
    const COUNTED: bool;

    /// The total, when it is known.
    fn total(&self) -> Option<u64>;
}

impl Totals for Counted {
    const COUNTED: bool = true;

    fn total(&self) -> Option<u64> {
        Some(self.0)
    }
}

impl Totals for Uncounted {
    const COUNTED: bool = false;

    fn total(&self) -> Option<u64> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Counted {}
    impl Sealed for super::Uncounted {}
}
