//! [`Listed`]: what a store found.

use super::{Counted, Totals, Uncounted};

/// The items of one [`Window`](super::Window) in their order, and what else there is: what a store answers, and what a
/// pagination makes its response of.
///
/// ```
/// use restwright_list::Listed;
///
/// // A store that does not count reads one item more than it was asked for.
/// let listed = Listed::one_more(vec!["a", "b", "c"], 2);
/// assert_eq!(listed.items, ["a", "b"]);
/// assert!(listed.has_next);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T, C = Counted> {
    /// The items.
    pub items: Vec<T>,
    /// How many there are over all pages, if they were counted.
    pub totals: C,
    /// Whether there are items before the first; only a cursor asks.
    pub has_previous: bool,
    /// Whether there are items after the last; where they were counted, the total says it.
    pub has_next: bool,
}

impl<T> Listed<T> {
    /// A page of a list of `total`.
    #[must_use]
    pub fn counted(items: Vec<T>, total: u64) -> Self {
        Self { items, totals: Counted(total), has_previous: false, has_next: false }
    }
}

impl<T> Listed<T, Uncounted> {
    /// Items that were read with one more than the limit, if there was one.
    #[must_use]
    pub fn one_more(mut items: Vec<T>, limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_next = items.len() > limit;
        items.truncate(limit);
        Self { items, totals: Uncounted, has_previous: false, has_next }
    }
}

impl<T, C: Totals> Listed<T, C> {
    /// The same without the total.
    #[must_use]
    pub fn without_total(self) -> Listed<T, Uncounted> {
        let Self { items, has_previous, has_next, .. } = self;
        Listed { items, totals: Uncounted, has_previous, has_next }
    }

    /// The same with each item changed, such as cloned.
    #[must_use]
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> Listed<U, C> {
        let Self { items, totals, has_previous, has_next } = self;
        Listed { items: items.into_iter().map(map).collect(), totals, has_previous, has_next }
    }

    /// Whether there is more after the first `end` items of the list.
    pub(super) fn has_more(&self, end: u64) -> bool {
        self.totals.total().map_or(self.has_next, |total| end < total)
    }
}

impl<T: Clone, C: Totals> Listed<&T, C> {
    /// The same with each item cloned.
    #[must_use]
    pub fn cloned(self) -> Listed<T, C> {
        self.map(Clone::clone)
    }
}
