//! Defines [`ListQuery`], the filter, the order and the window of a list.

use restwright_list::{Comparison, Exists, Expression, Pagination, Sort, SortBag, Value, Window};

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
    /// The values of related entities that the order names. Only stores that [sort by them](crate::Store::sorts_by_related) receive any.
    pub related: Vec<RelatedValue>,
    /// `true` if the store may leave out rows that it cannot read. Lists, exports and embedded relations of endpoints set it. Otherwise the
    /// statement must fail, because code that reads all rows would not detect that some are missing.
    pub may_skip_unreadable: bool,
}

/// The value of one field of a related entity. It is null if there is no related entity.
///
/// An order refers to the value by its name, such as `customer.name`. A list with such an order has no position of a cursor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RelatedValue {
    /// The name of the value in the order.
    pub name: String,
    /// The condition that the related entity exists. At most one entity satisfies it.
    pub exists: Exists,
    /// The field of the related entity.
    pub field: String,
}

impl RelatedValue {
    pub(crate) fn new(name: String, exists: Exists, field: String) -> Self {
        Self { name, exists, field }
    }
}

impl<'q> ListQuery<'q> {
    /// Creates a query from the filters, the sort order and the pagination of a list request.
    #[must_use]
    pub fn new<F: Sort>(
        filter: impl Into<Expression>,
        order: &SortBag<F>,
        pagination: &'q (impl Pagination + ?Sized),
    ) -> Self {
        Self::of(filter.into(), order.by_name(), pagination.window())
    }

    /// Creates a query from its parts. Its order contains no values of related entities.
    pub(crate) fn of(filter: Expression, order: SortBag, window: Window<'q>) -> Self {
        Self { filter, order, window, related: Vec::new(), may_skip_unreadable: false }
    }

    /// Lets the store leave out rows that it cannot read.
    pub(crate) fn skip_unreadable(self) -> Self {
        Self { may_skip_unreadable: true, ..self }
    }

    /// Returns a copy of the query with another filter.
    pub(crate) fn with_filter(&self, filter: Expression) -> Self {
        Self { filter, order: self.order.clone(), related: self.related.clone(), ..*self }
    }

    /// Restricts the query to entities whose fields are equal to the values in a key. The query returns one item more than the limit of the
    /// window. A store without a special statement for [`Read::ListPerKey`](crate::Read::ListPerKey) runs this query for each key.
    #[must_use]
    pub fn for_key(&self, fields: &[&str], key: &[Value<'static>]) -> Self {
        let values = fields.iter().zip(key);
        let is_equal =
            values.map(|(field, value)| Expression::condition((*field).to_owned(), Comparison::Eq(value.clone())));
        let limit = u32::try_from(self.window.read()).unwrap_or(u32::MAX);
        let filter = is_equal.fold(self.filter.clone(), Expression::and);
        Self { window: Window::skip(0, limit), ..self.with_filter(filter) }
    }
}
