//! Defines [`ListSlice`], the items that a store returns for one page.

use restwright_core::{Problem, Result};

use super::window::WindowStart;
use super::{Counted, Pagination, Totals, Uncounted};

/// The items that a store returns for one [`Window`](super::Window), in order. The slice also stores whether the list
/// has items before and after these items. A pagination such as [`Page`](super::Page) creates the response from it.
///
/// ```
/// use restwright_list::{ListSlice, Page, Uncounted};
///
/// let page = Page::new(1, 2).unwrap();
/// let listed: ListSlice<_, Uncounted> = ListSlice::new(&page, ["a", "b", "c"]);
/// assert_eq!(listed.items, ["a", "b"]);
/// assert!(listed.has_next());
/// // A total says the same without reading one item more.
/// assert!(ListSlice::new(&page, ["a", "b"]).counted(3).has_next());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ListSlice<T, C = Counted> {
    /// The items of the page, in order.
    pub items: Vec<T>,
    /// The total number of items across all pages, if it was counted.
    pub totals: C,
    has_previous: bool,
    has_next: bool,
    /// The offset of the next page, or `None` with cursor pagination.
    end: Option<u64>,
    /// The error message to log, or `None` if no error occurred. After an error, the response is a 500.
    failure: Option<String>,
}

impl<T> ListSlice<T, Uncounted> {
    /// Creates a slice from the items that a store has read for `pagination`.
    ///
    /// Pass the items in the order in which they were read. For a backward window, the first item is the item nearest
    /// to the position.
    ///
    /// Pass one item more than the limit if the list has more items. This function uses the additional item to compute
    /// [`has_previous`](Self::has_previous) or [`has_next`](Self::has_next), and then drops it. It reverses the items
    /// of a backward window. On the other side of a position, it always assumes more items, because the position is or
    /// was an item.
    #[must_use]
    pub fn new(pagination: &(impl Pagination + ?Sized), read: impl IntoIterator<Item = T>) -> Self {
        let window = pagination.window();
        let limit = usize::try_from(window.limit()).unwrap_or(usize::MAX);
        let mut items: Vec<T> = read.into_iter().take(limit.saturating_add(1)).collect();
        let has_more = items.len() > limit;
        items.truncate(limit);
        let (has_previous, has_next, end) = match window.start() {
            WindowStart::Skip { offset } => (offset > 0, has_more, Some(offset.saturating_add(window.limit()))),
            WindowStart::Seek { position: None } => (false, has_more, None),
            WindowStart::Seek { position: Some(position) } if position.is_backward() => {
                items.reverse();
                (has_more, true, None)
            }
            WindowStart::Seek { position: Some(_) } => (true, has_more, None),
        };
        Self { items, totals: Uncounted, has_previous, has_next, end, failure: None }
    }

    /// Adds the total number of items across all pages. For a page or an offset, the total then determines
    /// [`has_next`](Self::has_next).
    #[must_use]
    pub fn counted(self, total: u64) -> ListSlice<T> {
        let Self { items, has_previous, has_next, end, failure, .. } = self;
        let has_next = end.map_or(has_next, |end| end < total);
        ListSlice { items, totals: Counted(total), has_previous, has_next, end, failure }
    }
}

impl<T, C: Totals> ListSlice<T, C> {
    /// Returns `true` if the list has items before the first item of the slice.
    #[must_use]
    pub fn has_previous(&self) -> bool {
        self.has_previous
    }

    /// Returns `true` if the list has items after the last item of the slice.
    #[must_use]
    pub fn has_next(&self) -> bool {
        self.has_next
    }

    /// Returns the same slice without the total.
    #[must_use]
    pub fn without_total(self) -> ListSlice<T, Uncounted> {
        let Self { items, has_previous, has_next, end, failure, .. } = self;
        ListSlice { items, totals: Uncounted, has_previous, has_next, end, failure }
    }

    /// Converts each item with a function.
    #[must_use]
    pub fn map<U>(self, map: impl FnMut(T) -> U) -> ListSlice<U, C> {
        let Self { items, totals, has_previous, has_next, end, failure } = self;
        ListSlice { items: items.into_iter().map(map).collect(), totals, has_previous, has_next, end, failure }
    }

    /// Converts each item with a function. Returns the first error of the function.
    ///
    /// # Errors
    /// The function fails.
    pub fn try_map<U, E>(self, map: impl FnMut(T) -> Result<U, E>) -> Result<ListSlice<U, C>, E> {
        let Self { items, totals, has_previous, has_next, end, failure } = self;
        let items = items.into_iter().map(map).collect::<Result<_, E>>()?;
        Ok(ListSlice { items, totals, has_previous, has_next, end, failure })
    }

    /// Stores an error message, so the response is a 500.
    pub(crate) fn failed(mut self, failure: String) -> Self {
        self.failure.get_or_insert(failure);
        self
    }

    /// Returns the items for the response, or a problem with status 500 if an error occurred.
    pub(super) fn shown(&self) -> Result<&[T]> {
        match &self.failure {
            None => Ok(&self.items),
            Some(failure) => Err(Problem::internal(failure.clone())),
        }
    }
}

impl<T: Clone, C: Totals> ListSlice<&T, C> {
    /// Returns the same slice with a clone of each item.
    #[must_use]
    pub fn cloned(self) -> ListSlice<T, C> {
        self.map(Clone::clone)
    }
}
