//! [`Window`]: which part of a list is wanted.

use super::Position;

/// Which items of the filtered, sorted list a store answers.
#[derive(Clone, Copy, Debug)]
pub enum Window<'p> {
    /// Those after the first so many.
    Skip {
        /// How many come before.
        offset: u64,
        /// How many at most.
        limit: u32,
    },
    /// Those next to a position, or the first.
    ///
    /// Backward, a store reads in the reverse order and turns what it found round. It reads one item more than the limit: there
    /// is more on that side if there is one. On the other side there is, if there is a position.
    Seek {
        /// Where; at the start of the list when there is none.
        position: Option<&'p Position>,
        /// How many at most.
        limit: u32,
    },
}

/// A pagination, as stores see it: [`Page`](super::Page), [`Offset`](super::Offset) or `Cursor`.
pub trait Pagination {
    /// Which items are wanted.
    fn window(&self) -> Window<'_>;
}
