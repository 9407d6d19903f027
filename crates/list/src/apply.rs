//! [`apply`]: lists in memory.

use crate::expression::Expression;
use crate::pagination::{ListSlice, Pagination, Window};
use crate::record::Record;
use crate::sort::{Sort, SortBag, SortEntry};

/// The items that a request asks for, out of all: filtered, sorted, and of those the wanted part.
///
/// It takes [`Filters`](crate::Filters) by reference, or an [`Expression`], such as one of filters and of a condition of the
/// service's own.
///
/// It is the reference for every store: a store that answers otherwise has an error. Time is that of one look at every item
/// and of sorting those that hold.
///
/// A filter or an order that names a field which the [`Record`] does not have is a mistake of the service: nothing is listed, and the
/// answer that is made of it is a 500, whose log names the field.
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
    filters: impl Into<Expression>,
    sort: &SortBag<F>,
    pagination: &(impl Pagination + ?Sized),
    items: impl IntoIterator<Item = R>,
) -> ListSlice<R> {
    let wanted = filters.into();
    let mut fields = sort.iter().map(SortEntry::name);
    if let Some(field) = wanted.unknown_field::<R>().or_else(|| fields.find(|field| !R::has_field(field))) {
        return ListSlice::of(pagination, []).counted(0).failed(unknown_field::<R>(field));
    }
    let mut items: Vec<R> = items.into_iter().filter(|item| wanted.holds(item)).collect();
    let total = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let (offset, backward) = match pagination.window() {
        Window::Skip { offset, .. } => (usize::try_from(offset).unwrap_or(usize::MAX), false),
        Window::Seek { position: None, .. } => (0, false),
        Window::Seek { position: Some(position), .. } => {
            let beyond = position.expression();
            items.retain(|item| beyond.holds(item));
            (0, position.is_backward())
        }
    };
    items.sort_by(|left, right| {
        let order = sort.compare(left, right);
        if backward { order.reverse() } else { order }
    });
    ListSlice::of(pagination, items.into_iter().skip(offset)).counted(total)
}

/// What the log says of a field that a record does not have.
#[cold]
pub(crate) fn unknown_field<R>(field: &str) -> String {
    format!(
        "a filter or the order names the field `{field}`, which the record {} does not have: let both call it the same, with \
         `rename` or `rename_all` in `#[filter(..)]`, `#[sort(..)]` or `#[serde(..)]`, and not skip it in the record",
        std::any::type_name::<R>()
    )
}
