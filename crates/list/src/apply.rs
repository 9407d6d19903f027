//! [`apply`]: lists in memory.

use std::cmp::Ordering;

use crate::expression::Expression;
use crate::filter::Filters;
use crate::pagination::{Counted, Listed, Pagination, Position, Window};
use crate::record::Record;
use crate::sort::{Sort, SortBag};

/// The items that a request asks for, out of all: filtered, sorted, and of those the wanted part.
///
/// It is the reference for every store: a store that answers otherwise has an error. Time is that of one look at every item
/// and of sorting those that hold.
///
/// ```
/// use restwright_list::{Filters, Page, Record, Sort, SortBag, apply};
///
/// fn page<R: Record + Clone, F: Sort>(filters: &impl Filters, sort: &SortBag<F>, page: &Page, all: &[R]) -> Vec<R> {
///     apply(filters, sort, page, all).cloned().items
/// }
/// ```
#[must_use]
pub fn apply<R: Record, F: Sort>(
    filters: &(impl Filters + ?Sized),
    sort: &SortBag<F>,
    pagination: &(impl Pagination + ?Sized),
    items: impl IntoIterator<Item = R>,
) -> Listed<R> {
    let wanted = filters.expression();
    let mut items: Vec<R> = items.into_iter().filter(|item| wanted.holds(item)).collect();
    let total = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let mut listed = match pagination.window() {
        Window::Skip { offset, limit } => {
            items.sort_by(|left, right| sort.compare(left, right));
            let rest = items.into_iter().skip(count(offset));
            one_more(rest, limit)
        }
        Window::Seek { position: None, limit } => {
            items.sort_by(|left, right| sort.compare(left, right));
            one_more(items, limit)
        }
        Window::Seek { position: Some(position), limit } => seek(items, sort, position, limit),
    };
    listed.totals = Counted(total);
    listed
}

fn seek<R: Record, F: Sort>(mut items: Vec<R>, sort: &SortBag<F>, position: &Position, limit: u32) -> Listed<R> {
    let wanted: Expression = position.expression();
    items.retain(|item| wanted.holds(item));
    let turn = |order: Ordering| if position.is_backward() { order.reverse() } else { order };
    items.sort_by(|left, right| turn(sort.compare(left, right)));
    let listed = one_more(items, limit);
    if position.is_backward() {
        let items = listed.items.into_iter().rev().collect();
        Listed { items, has_previous: listed.has_next, has_next: true, ..listed }
    } else {
        Listed { has_previous: true, ..listed }
    }
}

fn one_more<R>(items: impl IntoIterator<Item = R>, limit: u32) -> Listed<R> {
    let limit = count(limit.into());
    let mut items: Vec<R> = items.into_iter().take(limit.saturating_add(1)).collect();
    let has_next = items.len() > limit;
    items.truncate(limit);
    Listed { items, totals: Counted(0), has_previous: false, has_next }
}

fn count(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
