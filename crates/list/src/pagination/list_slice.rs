//! [`ListSlice`]: what a store found.

use restwright_core::{Problem, Result};

use super::{Counted, Pagination, Totals, Uncounted, Window};

/// The items of one [`Window`] in their order, and whether there are others before and after: what a store answers, and what a
/// pagination makes its response of.
///
/// ```
/// use restwright_list::{ListSlice, Page, Uncounted};
///
/// let page = Page::new(1, 2).unwrap();
/// let listed: ListSlice<_, Uncounted> = ListSlice::of(&page, ["a", "b", "c"]);
/// assert_eq!(listed.items, ["a", "b"]);
/// assert!(listed.has_next());
/// // A total says the same without reading one item more.
/// assert!(ListSlice::of(&page, ["a", "b"]).counted(3).has_next());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ListSlice<T, C = Counted> {
    /// The items.
    pub items: Vec<T>,
    /// How many there are over all pages, if they were counted.
    pub totals: C,
    has_previous: bool,
    has_next: bool,
    /// Where a page ends among all items.
    end: Option<u64>,
    /// Why there is no list, for the log.
    failure: Option<String>,
}

impl<T> ListSlice<T, Uncounted> {
    /// Of what was read for the window of a pagination, in the order in which it is read: away from its position, so that items
    /// before a position come nearest first.
    ///
    /// It takes as many as the window says, one more than are shown, which tells whether there are more; what is read beyond is
    /// dropped. On the other side of a position there are items: that one, or what stood there.
    #[must_use]
    pub fn of(pagination: &(impl Pagination + ?Sized), read: impl IntoIterator<Item = T>) -> Self {
        let window = pagination.window();
        let limit = usize::try_from(window.read().saturating_sub(1)).unwrap_or(usize::MAX);
        let mut items: Vec<T> = read.into_iter().take(limit.saturating_add(1)).collect();
        let has_more = items.len() > limit;
        items.truncate(limit);
        let (has_previous, has_next, end) = match window {
            Window::Skip { offset, read } => {
                (offset > 0, has_more, Some(offset.saturating_add(read.saturating_sub(1))))
            }
            Window::Seek { position: None, .. } => (false, has_more, None),
            Window::Seek { position: Some(position), .. } if position.is_backward() => {
                items.reverse();
                (has_more, true, None)
            }
            Window::Seek { position: Some(_), .. } => (true, has_more, None),
        };
        Self { items, totals: Uncounted, has_previous, has_next, end, failure: None }
    }

    /// The same of a list of so many items over all pages. Of a page, it says whether there is a next one.
    #[must_use]
    pub fn counted(self, total: u64) -> ListSlice<T> {
        let Self { items, has_previous, has_next, end, failure, .. } = self;
        let has_next = end.map_or(has_next, |end| end < total);
        ListSlice { items, totals: Counted(total), has_previous, has_next, end, failure }
    }
}

impl<T, C: Totals> ListSlice<T, C> {
    /// Whether there are items before the first.
    #[must_use]
    pub fn has_previous(&self) -> bool {
        self.has_previous
    }

    /// Whether there are items after the last.
    #[must_use]
    pub fn has_next(&self) -> bool {
        self.has_next
    }

    /// The same without the total.
    #[must_use]
    pub fn without_total(self) -> ListSlice<T, Uncounted> {
        let Self { items, has_previous, has_next, end, failure, .. } = self;
        ListSlice { items, totals: Uncounted, has_previous, has_next, end, failure }
    }

    /// The same with each item changed, such as cloned.
    #[must_use]
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> ListSlice<U, C> {
        let Self { items, totals, has_previous, has_next, end, failure } = self;
        ListSlice { items: items.into_iter().map(map).collect(), totals, has_previous, has_next, end, failure }
    }

    /// The same, of which no answer is made.
    pub(crate) fn failed(mut self, failure: String) -> Self {
        self.failure.get_or_insert(failure);
        self
    }

    /// The items, for an answer.
    pub(super) fn shown(&self) -> Result<&[T]> {
        match &self.failure {
            None => Ok(&self.items),
            Some(failure) => Err(Problem::internal(failure.clone())),
        }
    }
}

impl<T: Clone, C: Totals> ListSlice<&T, C> {
    /// The same with each item cloned.
    #[must_use]
    pub fn cloned(self) -> ListSlice<T, C> {
        self.map(Clone::clone)
    }
}
