//! What the parts of one list know of each other.

use std::sync::OnceLock;

use crate::filter::FilterPlan;
use crate::sort::SortPlan;

/// The filters and the order of a request, for its cursor, which belongs to them.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) filters: OnceLock<FilterPlan>,
    pub(crate) sort: OnceLock<SortPlan>,
}
