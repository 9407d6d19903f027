//! [`apply`]: the in-memory evaluator.

use crate::expression::Expression;
use crate::pagination::{ListSlice, Pagination};
use crate::record::{Record, unknown_field};
use crate::sort::{Sort, SortBag, SortEntry};

/// Returns the items that a request asks for, out of all: filtered, sorted, and of those the requested part.
///
/// It takes [`Filters`](crate::Filters) by reference, or an [`Expression`], such as one of filters and of a condition that the service
/// adds.
///
/// It is the reference for every store: a store that returns other items has an error. It looks at every item once and sorts those that
/// match.
///
/// A filter or an order that names a field which the [`Record`] does not have is a mistake of the service: the slice is empty, and the
/// response that is made of it is a 500, whose log names the field. Building the Api finds most of them, by the items of the response.
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
    items.sort_by(|left, right| {
        let order = sort.compare(left, right);
        if window.is_backward() { order.reverse() } else { order }
    });
    let offset = usize::try_from(window.offset()).unwrap_or(usize::MAX);
    ListSlice::new(pagination, items.into_iter().skip(offset)).counted(total)
}
