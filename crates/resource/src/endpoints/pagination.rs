//! Defines [`ResourcePagination`], the kinds of pagination that lists of resources support.

/// The pagination of the lists of a resource.
///
/// ```
/// use restwright_core::schema::{PropertyCollection, int64};
/// use restwright_resource::{IdentifierKind, ResourceDefinition, ResourcePagination};
///
/// let run = PropertyCollection::new("Run").property(int64("id").read_only());
/// let runs = ResourceDefinition::new("/runs", "runs", run, "id", IdentifierKind::Integer)
///     .pagination(ResourcePagination::OffsetWithoutTotal);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourcePagination {
    /// By page number, with the parameters of [`Page`](restwright_list::Page). Responses contain the total number of entities.
    #[default]
    Page,
    /// By page number. Responses contain no total, so the store counts nothing. It reads one entity more than the page shows, for `has_more`.
    PageWithoutTotal,
    /// By offset, with the parameters of [`Offset`](restwright_list::Offset). Responses contain the total number of entities.
    Offset,
    /// By offset. Responses contain no total, as in [`PageWithoutTotal`](Self::PageWithoutTotal).
    OffsetWithoutTotal,
    /// By cursor, with the parameters of [`Cursor`](restwright_list::Cursor). Responses contain no total.
    #[cfg(feature = "cursor")]
    Cursor,
}
