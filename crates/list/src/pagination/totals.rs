//! [`Counted`] and [`Uncounted`]: lists with and without a total.

use std::fmt;

/// The exact number of items over all pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted(
    /// The number of items.
    pub u64,
);

/// A list without a total. Stores read one item more than the page to find out whether there are more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncounted;

/// Either [`Counted`] or [`Uncounted`].
pub trait Totals: Copy + fmt::Debug + sealed::Sealed + Send + Sync + 'static {
    /// `true` if the response contains the total.
    const COUNTED: bool;

    /// Returns the total, if it is known.
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
