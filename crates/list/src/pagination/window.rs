//! [`Window`]: which part of a list is wanted.

use super::Position;

/// Which items of the filtered, sorted list a store reads; [`ListSlice::of`](super::ListSlice::of) makes the answer of them.
#[derive(Clone, Copy, Debug)]
pub enum Window<'p> {
    /// Those after the first so many.
    Skip {
        /// How many come before.
        offset: u64,
        /// How many to read at most: one more than are shown.
        read: u64,
    },
    /// Those next to a position, or the first.
    ///
    /// What holds for them is the [`expression`](Position::expression) of the position. [Backward](Position::is_backward), they
    /// are read in the reverse order.
    Seek {
        /// Where; at the start of the list when there is none.
        position: Option<&'p Position>,
        /// How many to read at most: one more than are shown.
        read: u64,
    },
}

impl Window<'_> {
    /// How many to read at most: one more than are shown.
    #[must_use]
    pub fn read(&self) -> u64 {
        match self {
            Self::Skip { read, .. } | Self::Seek { read, .. } => *read,
        }
    }
}

/// A pagination, as stores see it: [`Page`](super::Page), [`Offset`](super::Offset) or `Cursor`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pagination",
    label = "not a pagination",
    note = "`Page`, `Offset` and `Cursor` (feature `cursor`) are"
)]
pub trait Pagination {
    /// Which items to read.
    fn window(&self) -> Window<'_>;
}
