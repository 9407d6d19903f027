//! Defines [`Binding`], a hash that identifies the list to which a cursor belongs.

use std::fmt;
use std::sync::Arc;

use restwright_core::RequestHead;
use restwright_core::http::HttpRequest;
use restwright_core::problem::RequestViolations;
use sha2::{Digest, Sha256};

use super::codec::{put, put_text};
use crate::expression::{Comparison, Expression};
use crate::filter::{CursorFilter, SharedFilters};
use crate::operator::Operator;
use crate::sort::{Direction, SharedSort};
use crate::value::Value;

/// A 16-byte hash of the path, binding string, order and filters of a request. It identifies the list that a cursor
/// belongs to.
pub(super) type Binding = [u8; 16];

/// Binds the cursors of a route to a string from the request, such as the caller's tenant. Cursors are always bound to
/// the path, order and filters.
///
/// A cursor that is bound to a different string is rejected with the violation `cursor_mismatch`. Add it to a route
/// with [`Route::with`](restwright_core::Route::with).
///
/// ```
/// use restwright_core::Route;
/// use restwright_list::CursorBinding;
///
/// let route = Route::get("/pets")
///     .with(CursorBinding::new(|request| request.identity().subject().unwrap_or_default().to_owned()));
/// ```
#[derive(Clone)]
pub struct CursorBinding(Arc<dyn Fn(&HttpRequest) -> String + Send + Sync>);

impl CursorBinding {
    /// Binds cursors to the string that the function `text` returns for a request.
    #[must_use]
    pub fn new(text: impl Fn(&HttpRequest) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(text))
    }
}

impl fmt::Debug for CursorBinding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CursorBinding").finish_non_exhaustive()
    }
}

/// The binding, the sort order and the identifier field of the list that a request reads.
pub(super) struct RequestedList {
    pub(super) binding: Binding,
    /// The fields of the sort order, with their directions.
    pub(super) order: Vec<(String, Direction)>,
    /// The name of the field that identifies each item.
    pub(super) identifier: String,
}

/// Determines which list a request reads. The list depends on the path, the filters and the sort order of the request.
/// Returns `None` if the filters or the order of the request have violations.
pub(super) fn read(
    filters: &SharedFilters,
    sort: &SharedSort,
    scope: Option<&CursorBinding>,
    head: &RequestHead<'_>,
    violations: &mut RequestViolations,
) -> Option<RequestedList> {
    let sort = sort.get()?;
    let entries = head.shared(|| sort.read(head, violations));
    let conditions = filters.get().map(|filters| (filters, head.shared(|| filters.read(head, violations))));
    let mut bytes = Vec::new();
    // The path is included, so `/shelters/1/pets` and `/shelters/2/pets` are different lists.
    put_text(head.request().path(), &mut bytes);
    if let Some(scope) = scope {
        put_text(&(scope.0)(head.request()), &mut bytes);
    }
    let order: Vec<_> = entries?.iter().map(|entry| (sort.name(entry.field).to_owned(), entry.direction)).collect();
    for (name, direction) in &order {
        put_text(name, &mut bytes);
        bytes.push(u8::from(*direction == Direction::Descending));
    }
    if let Some((filters, conditions)) = conditions {
        let conditions = conditions?;
        // Sorted by declaration, so the order of the query parameters does not matter.
        let mut list: Vec<_> = conditions.iter().collect();
        list.sort_by_key(|(field, comparison)| (*field, comparison.operator()));
        for (field, comparison) in list {
            put_text(filters.names().nth(field).unwrap_or_default(), &mut bytes);
            put_comparison(comparison, &mut bytes);
        }
    }
    if let Some(given) = head.has_body_parameters().then(|| head.shared(|| None::<CursorFilter>)).flatten() {
        put_expression(&given.filter, &mut bytes);
        put_text(given.search.as_deref().unwrap_or_default(), &mut bytes);
    }
    let digest = Sha256::digest(&bytes);
    let identifier = sort.identifier().to_owned();
    digest.first_chunk().map(|binding| RequestedList { binding: *binding, order, identifier })
}

/// Appends an expression. The order of the items of `All` and `Any` does not matter.
fn put_expression(expression: &Expression, bytes: &mut Vec<u8>) {
    let (tag, items) = match expression {
        Expression::All(items) => ("all", items.as_slice()),
        Expression::Any(items) => ("any", items.as_slice()),
        Expression::Not(one) => ("not", std::slice::from_ref(&**one)),
        Expression::Condition(condition) => {
            put_text("condition", bytes);
            put_text(condition.field(), bytes);
            return put_comparison(condition.comparison(), bytes);
        }
        // A request cannot contain it.
        Expression::Exists(_) => ("exists", &[][..]),
    };
    put_text(tag, bytes);
    let mut items: Vec<_> = items
        .iter()
        .map(|item| {
            let mut bytes = Vec::new();
            put_expression(item, &mut bytes);
            bytes
        })
        .collect();
    items.sort_unstable();
    bytes.extend(u64::try_from(items.len()).unwrap_or(u64::MAX).to_be_bytes());
    for item in items {
        bytes.extend(u64::try_from(item.len()).unwrap_or(u64::MAX).to_be_bytes());
        bytes.extend(item);
    }
}

fn put_comparison(comparison: &Comparison<Value<'_>>, bytes: &mut Vec<u8>) {
    put_text(comparison.operator().as_str(), bytes);
    match comparison {
        Comparison::Contains(text) | Comparison::StartsWith(text) | Comparison::EndsWith(text) => {
            put_text(text.folded(), bytes);
        }
        Comparison::IsNull(wanted) => put(&(*wanted).into(), bytes),
        comparison => {
            let mut values = comparison.values();
            if comparison.operator() == Operator::In {
                // The operands of `in` are a set, so order and repetitions do not matter.
                values.sort();
                values.dedup();
            }
            bytes.extend(u64::try_from(values.len()).unwrap_or(u64::MAX).to_be_bytes());
            values.into_iter().for_each(|value| put(value, bytes));
        }
    }
}
