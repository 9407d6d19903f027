//! [`planned_fields`]: the fields of a list that is planned.

use restwright_core::BuildContext;

use crate::filter::{FilterSet, SharedFilters};
use crate::sort::{SharedSort, SortSpec};

/// Returns the names of the fields that the filters and the order of a request name, for a store's check that it has them. Parts that
/// are planned later are not among them.
///
/// ```
/// use restwright_core::{BuildContext, BuildErrors};
/// use restwright_list::planned_fields;
///
/// fn check(context: &mut BuildContext<'_>, columns: &[&str]) -> Result<(), BuildErrors> {
///     let unknown = planned_fields(context).into_iter().find(|field| !columns.contains(&field.as_str()));
///     unknown.map_or(Ok(()), |field| Err(BuildErrors::one(format!("the table has no column `{field}`"))))
/// }
/// ```
pub fn planned_fields(context: &mut BuildContext<'_>) -> Vec<String> {
    let filters = context.operation_state::<SharedFilters>().clone();
    let sort = context.operation_state::<SharedSort>().clone();
    let filtered = filters.get().into_iter().flat_map(|set| FilterSet::names(set));
    let sorted = sort.get().into_iter().flat_map(|spec| SortSpec::fields(spec));
    filtered.chain(sorted).map(str::to_owned).collect()
}
