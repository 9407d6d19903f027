//! Defines [`apply`], which filters, sorts and pages items in memory.

use std::cmp::Ordering;
use std::ops::Range;

use crate::expression::Expression;
use crate::pagination::{ListSlice, Pagination};
use crate::record::{Record, unknown_field};
use crate::sort::{Sort, SortBag, SortEntry};

/// Filters, sorts and pages items in memory, and returns the requested slice.
///
/// `filters` is a reference to [`Filters`](crate::Filters), or an [`Expression`], for example filters combined with the
/// service's own conditions.
///
/// This function is the reference for every store: a store that returns different items has a bug. The function reads
/// every item, but fully sorts only the items of the slice. Items that compare as equal keep the order of `items`.
///
/// If a filter or the order names a field that the [`Record`] does not have, the slice is empty. A response created
/// from this slice has status 500, and the log names the field. Building the Api finds most of these errors by checking
/// the item type of the response.
///
/// ```
/// use restwright_list::{Filters, Page, Record, Sort, SortBag, apply};
///
/// fn page<'a, R: Record, F: Sort>(filters: &impl Filters, sort: &SortBag<F>, page: &Page, all: &'a [R]) -> Vec<&'a R> {
///     apply(filters, sort, page, all).items
/// }
/// ```
#[must_use]
pub fn apply<R: Record, F: Sort>(
    filters: impl Into<Expression>,
    sort: &SortBag<F>,
    pagination: &(impl Pagination + ?Sized),
    items: impl IntoIterator<Item = R>,
) -> ListSlice<R> {
    let wanted = filters.into();
    let mut fields = sort.iter().map(SortEntry::name);
    if let Some(field) = wanted.unknown_field::<R>().or_else(|| fields.find(|field| !R::has_field(field))) {
        return ListSlice::new(pagination, []).counted(0).failed(unknown_field::<R>(field));
    }
    let mut items: Vec<R> = items.into_iter().filter(|item| wanted.holds(item)).collect();
    let total = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let window = pagination.window();
    if let Some(position) = window.position() {
        let beyond = position.expression();
        items.retain(|item| beyond.holds(item));
    }
    let start = usize::try_from(window.offset()).unwrap_or(usize::MAX);
    let read = usize::try_from(window.read()).unwrap_or(usize::MAX);
    let part = sorted_part(items, start..start.saturating_add(read), |left, right| {
        let order = sort.compare(left, right);
        if window.is_backward() { order.reverse() } else { order }
    });
    ListSlice::new(pagination, part).counted(total)
}

/// Returns the range `part` of the sorted items. Equal items keep their order. The other items are not sorted.
fn sorted_part<T>(items: Vec<T>, part: Range<usize>, compare: impl Fn(&T, &T) -> Ordering) -> impl Iterator<Item = T> {
    let mut numbered: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    let order = |left: &(usize, T), right: &(usize, T)| compare(&left.1, &right.1).then_with(|| left.0.cmp(&right.0));
    if part.end < numbered.len() {
        numbered.select_nth_unstable_by(part.end, order);
        numbered.truncate(part.end);
    }
    if part.start < numbered.len() {
        numbered.select_nth_unstable_by(part.start, order);
        numbered.drain(..part.start);
    } else {
        numbered.clear();
    }
    numbered.sort_unstable_by(order);
    numbered.into_iter().map(|(_, item)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_part_of_a_stable_sort() {
        // The second number distinguishes equal items.
        let items: Vec<(usize, usize)> = (0..200).map(|place| (place * 7919 % 23, place)).collect();
        for length in [0, 1, 2, 50, 200] {
            let items = &items[..length];
            let mut sorted = items.to_vec();
            sorted.sort_by_key(|(key, _)| *key);
            for start in [0, 1, 49, 50, 51, 199, 200, 201, usize::MAX] {
                for end in [0, 1, 10, 200, usize::MAX].map(|read: usize| read.saturating_add(start)) {
                    let part = sorted_part(items.to_vec(), start..end, |left, right| left.0.cmp(&right.0));
                    let expected = sorted.iter().copied().skip(start).take(end - start);
                    assert!(part.eq(expected), "{length} items, {start}..{end}");
                }
            }
        }
    }
}
