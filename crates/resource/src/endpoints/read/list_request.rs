//! Defines [`ListRequest`], the filter, the order and the page that a list request selects.

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, RequestHead};
use restwright_list::{AddedFilters, Expression, SortBag, SortPlan};

use crate::endpoints::ResourcePagination;
use crate::endpoints::erased::kind::{Kind, ReadsFilters};
use crate::endpoints::erased::paginates::{AnyPage, ReadsPage};
use crate::store::RelatedValue;

/// The filter, the sort order, the pagination and the search value of a list request.
pub(in crate::endpoints) struct ListRequest {
    pub(in crate::endpoints) filter: Expression,
    pub(in crate::endpoints) order: SortBag,
    pub(in crate::endpoints) page: Box<dyn AnyPage>,
    /// The value of the query parameter `q`, which searches in the list.
    pub(in crate::endpoints) search: Option<String>,
    /// The values of related entities that the order names.
    pub(in crate::endpoints) related: Vec<RelatedValue>,
}

/// Reads list requests.
pub(in crate::endpoints) struct ListPlan {
    filters: Box<dyn ReadsFilters>,
    /// Reads the filters by fields of related entities.
    added: Option<AddedFilters>,
    sort: SortPlan,
    page: Box<dyn ReadsPage>,
}

impl ListPlan {
    /// Prepares the endpoint to read list requests. Runs while the Api is built.
    pub(in crate::endpoints) fn new(
        kind: &dyn Kind,
        pagination: ResourcePagination,
        context: &mut BuildContext<'_>,
    ) -> Result<Self, BuildErrors> {
        let mut errors = BuildErrors::new();
        let filters = errors.take(kind.plan_filters(context));
        let sort = errors.take(kind.plan_sort(context));
        let page = errors.take(pagination.paginates().plan_request(context));
        let (Some(filters), Some(sort), Some(page)) = (filters, sort, page) else { return Err(errors) };
        Ok(Self { filters, added: AddedFilters::of_request(context), sort, page })
    }

    pub(in crate::endpoints) fn describe(&self, operation: &mut Operation) {
        self.filters.describe(operation);
        self.sort.describe(operation);
        self.page.describe(operation);
    }

    /// Reads only the filters.
    pub(in crate::endpoints) fn read_filter(
        &self,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<Expression> {
        let filter = self.filters.read(head, violations)?;
        self.with_added(filter, head, violations)
    }

    pub(in crate::endpoints) fn read(
        &self,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<ListRequest> {
        let filter = self.filters.read(head, violations);
        let order = self.sort.read(head, violations);
        let page = self.page.read(head, violations);
        let (filter, order, page) = (filter?, order?, page?);
        let filter = self.with_added(filter, head, violations)?;
        Some(ListRequest { filter, order, page, search: None, related: Vec::new() })
    }

    fn with_added(
        &self,
        filter: Expression,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Option<Expression> {
        let Some(added) = &self.added else { return Some(filter) };
        let conditions = added.read(head, violations)?.into_iter().map(Expression::from);
        Some(filter.and(Expression::All(conditions.collect())))
    }
}
