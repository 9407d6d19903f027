//! Defines [`ListQuery`], the filter, the order and the window of a list.

use restwright_list::{Comparison, Expression, Pagination, Sort, SortBag, Value, Window};

/// A query for the items of a list. It consists of a filter, an order and a window.
///
/// ```
/// use restwright_list::{Filters, Page, Sort, SortBag};
/// use restwright_resource::ListQuery;
///
/// fn query<'q, F: Sort>(filters: &impl Filters, sort: &SortBag<F>, page: &'q Page) -> ListQuery<'q> {
///     ListQuery::new(filters, sort, page)
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListQuery<'q> {
    /// The condition that items must match.
    pub filter: Expression,
    /// The sort order of the items.
    pub order: SortBag,
    /// The window, which selects a part of the ordered items.
    pub window: Window<'q>,
}

impl<'q> ListQuery<'q> {
    /// Creates a query from the filters, the sort order and the pagination of a list request.
    #[must_use]
    pub fn new<F: Sort>(
        filter: impl Into<Expression>,
        order: &SortBag<F>,
        pagination: &'q (impl Pagination + ?Sized),
    ) -> Self {
        Self { filter: filter.into(), order: order.by_name(), window: pagination.window() }
    }

    /// Restricts the query to entities whose fields are equal to the values in a key. The query returns one item more than the limit of the
    /// window.
    pub(crate) fn for_key(&self, fields: &[&str], key: &[Value<'static>]) -> Self {
        let values = fields.iter().zip(key);
        let is_equal =
            values.map(|(field, value)| Expression::condition((*field).to_owned(), Comparison::Eq(value.clone())));
        let limit = u32::try_from(self.window.read()).unwrap_or(u32::MAX);
        let filter = is_equal.fold(self.filter.clone(), Expression::and);
        Self { filter, order: self.order.clone(), window: Window::skip(0, limit) }
    }
}
