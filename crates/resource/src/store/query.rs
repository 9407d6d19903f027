//! [`ListQuery`]: the filter, the order and the window of a list.

use restwright_list::{Expression, Pagination, Sort, SortBag, Window};

/// A filter, an order and a window, which select the items of a list.
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
    /// The order of the items.
    pub order: SortBag,
    /// The part of the ordered items to return.
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
}
