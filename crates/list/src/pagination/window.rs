//! Defines [`Window`], the part of a list that a store reads.

use super::Position;

/// The part of a filtered, sorted list that a store reads. Pass the items to [`ListSlice::new`](super::ListSlice::new).
///
/// A window either skips items from the start, or starts at a position. A store handles both kinds in the same way:
/// 1. Add the [`expression`](Position::expression) of the position to the filters.
/// 2. Reverse the order if the window [is backward](Self::is_backward).
/// 3. Skip [`offset`](Self::offset) items, and read [`read`](Self::read) items.
#[derive(Clone, Copy, Debug)]
pub struct Window<'p> {
    start: WindowStart<'p>,
    read: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum WindowStart<'p> {
    Skip { offset: u64 },
    Seek { position: Option<&'p Position> },
}

impl<'p> Window<'p> {
    /// Creates a window that skips `offset` items and returns at most `limit` items.
    #[must_use]
    pub fn skip(offset: u64, limit: u32) -> Self {
        Self { start: WindowStart::Skip { offset }, read: u64::from(limit) + 1 }
    }

    /// Creates a window that starts at a position or at the start of the list, and returns at most `limit` items.
    #[must_use]
    pub fn seek(position: Option<&'p Position>, limit: u32) -> Self {
        Self { start: WindowStart::Seek { position }, read: u64::from(limit) + 1 }
    }

    /// Returns the number of items to skip. Returns 0 for a window at a position.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match self.start {
            WindowStart::Skip { offset } => offset,
            WindowStart::Seek { .. } => 0,
        }
    }

    /// Returns the position at which the window starts. Returns `None` at the start of the list, and for a window that
    /// skips items.
    #[must_use]
    pub fn position(&self) -> Option<&'p Position> {
        match self.start {
            WindowStart::Skip { .. } => None,
            WindowStart::Seek { position } => position,
        }
    }

    /// Returns `true` for a window of [`seek`](Self::seek), also at the start of the list. Returns `false` for a window
    /// that skips items.
    #[must_use]
    pub fn is_seek(&self) -> bool {
        matches!(self.start, WindowStart::Seek { .. })
    }

    /// Returns `true` if the window reads the items before its position, in reverse order.
    #[must_use]
    pub fn is_backward(&self) -> bool {
        self.position().is_some_and(Position::is_backward)
    }

    /// Returns the maximum number of items that the store must read, which is the limit plus one. The additional item
    /// shows whether the list has more items.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Returns the maximum number of items in the response.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.read.saturating_sub(1)
    }

    pub(super) fn start(&self) -> WindowStart<'p> {
        self.start
    }
}

/// A kind of pagination, such as [`Page`](super::Page), [`Offset`](super::Offset) or `Cursor`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pagination",
    label = "not a pagination",
    note = "`Page`, `Offset` and `Cursor` (feature `cursor`) are"
)]
pub trait Pagination: sealed::Sealed {
    /// Returns the part of the list that a store must read.
    fn window(&self) -> Window<'_>;

    /// Returns the names of the fields whose values a cursor contains. The response reads these fields of its first and last item. The list is
    /// empty for pagination without cursors.
    fn cursor_fields(&self) -> Vec<&str> {
        Vec::new()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Window<'_> {}
    impl Sealed for crate::pagination::Page {}
    impl Sealed for crate::pagination::Offset {}
    #[cfg(feature = "cursor")]
    impl Sealed for crate::pagination::Cursor {}
}

/// Implements [`Pagination`] for windows, so a store can pass a window to [`ListSlice::new`](super::ListSlice::new).
impl Pagination for Window<'_> {
    fn window(&self) -> Window<'_> {
        *self
    }
}
