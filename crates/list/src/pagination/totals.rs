//! Defines [`Counted`] and [`Uncounted`], which mark lists with and without a total.

use std::fmt;

/// The total of a list, which is the exact number of items across all pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted(
    /// The exact number of items across all pages.
    pub u64,
);

/// Marks a list without a total. Stores then read one item more than the limit, to find out whether there is a next
/// page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncounted;

/// A trait that only [`Counted`] and [`Uncounted`] implement.
pub trait Totals: Copy + fmt::Debug + sealed::Sealed + Send + Sync + 'static {
    /// `true` for [`Counted`], because its responses contain the total.
    const COUNTED: bool;

    /// Returns the total, or `None` for [`Uncounted`].
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
