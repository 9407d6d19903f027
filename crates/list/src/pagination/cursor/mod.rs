//! Keyset pagination with the parameters `cursor` and `limit`.
//!
//! A cursor contains a position in the list: the values of an item's sort fields, including its identifier. Adding or
//! removing other items does not move the position. Reading all pages therefore returns each unchanged item exactly
//! once.

mod binding;
mod codec;
mod key;
mod response;
mod token;

use std::borrow::Cow;

use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Code, Violation, typed};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::envelope::EnvelopeOf;
use super::{Limits, ListSlice, Pagination, Position, Totals, Window};
use crate::codes;
use crate::filter::SharedFilters;
use crate::record::{Record, unknown_field};
use crate::sort::{Direction, SharedSort, Sort, SortBag};
use crate::value::Value;
pub use binding::CursorBinding;
use binding::{Binding, RequestedList};
pub use key::CursorKey;
pub use response::CursorResponse;
use token::{CursorRejection, CursorToken};

/// The query parameters `cursor` (a position in the list) and `limit` (the maximum number of items to return).
/// [`Limits`] sets the maximum `limit`. The response is a [`CursorResponse`].
///
/// A cursor belongs to one path, order, set of filters and [`CursorBinding`]. A cursor of another list, a modified
/// cursor or an expired cursor is rejected with a violation. A request with a cursor must have a
/// [`SortBag`](crate::SortBag).
///
/// A cursor contains the values of the sort fields. It is authenticated but not encrypted, so anyone can decode these
/// values. Do not declare sort fields that clients must not see. A cursor has about 100 characters, plus 4 characters
/// for every 3 bytes of the values, so sorting by long strings makes long cursors.
#[derive(Clone, Debug)]
pub struct Cursor {
    current: Option<String>,
    position: Option<Position>,
    limit: u32,
    order: Vec<(String, Direction)>,
    /// The name of the field that identifies each item.
    identifier: String,
    binding: Binding,
    key: CursorKey,
}

impl Cursor {
    /// Creates a cursor for the first page of a list, for tests. Returns `None` if `limit` is 0.
    ///
    /// The page contains at most `limit` items in the order of `sort`. Services reject this cursor and its next
    /// cursors, because they are signed with an empty key.
    ///
    /// ```
    /// use restwright_list::{Cursor, Record, Sort, SortBag, apply};
    ///
    /// fn two_pages<R: Record + Clone, F: Sort>(sort: &SortBag<F>, all: &[R]) -> Option<[Vec<R>; 2]> {
    ///     let start = Cursor::first(sort, 20)?;
    ///     let first = apply(&(), sort, &start, all).cloned().items;
    ///     let next = start.after(first.last()?);
    ///     Some([first, apply(&(), sort, &next, all).cloned().items])
    /// }
    /// ```
    #[must_use]
    pub fn first<F: Sort>(sort: &SortBag<F>, limit: u32) -> Option<Self> {
        let order = sort.iter().map(|entry| (entry.name().to_owned(), entry.direction)).collect();
        let identifier = sort.identifier().to_owned();
        let (binding, key) = (Binding::default(), CursorKey::new([]));
        (limit > 0).then_some(Self { current: None, position: None, limit, order, identifier, binding, key })
    }

    /// Returns the cursor for the items after this item.
    #[must_use]
    pub fn after(&self, item: &impl Record) -> Self {
        Self { position: Some(self.place_of(item, false)), ..self.clone() }
    }

    /// Returns the cursor for the items before this item.
    #[must_use]
    pub fn before(&self, item: &impl Record) -> Self {
        Self { position: Some(self.place_of(item, true)), ..self.clone() }
    }

    /// Creates the response for a page of items. The first and the last item determine the cursors of the adjacent
    /// pages.
    ///
    /// The response has status 500 if the first or last item has no identifier, or if the [`Record`] lacks a field of
    /// the order. No cursor could continue after such an item.
    #[must_use]
    pub fn respond<T: Record, C: Totals>(&self, listed: ListSlice<T, C>) -> CursorResponse<T> {
        let place = |item: Option<&T>, backward| item.map(|item| self.place_of(item, backward));
        let turned = || self.position.as_ref().map(Position::turned);
        let failure = self.failure(&listed.items);
        let next = listed.has_next().then(|| place(listed.items.last(), false).or_else(turned)).flatten();
        let previous = listed.has_previous().then(|| place(listed.items.first(), true).or_else(turned)).flatten();
        let [next, previous] = [next, previous].map(|position| position.map(|position| self.seal(position)));
        let (limit, current) = (self.limit, self.current.clone());
        let listed = listed.without_total();
        let listed = if let Some(failure) = failure { listed.failed(failure) } else { listed };
        CursorResponse { listed, limit, current, next, previous }
    }

    /// Returns an error message if the items lack a field that a cursor must contain.
    fn failure<T: Record>(&self, items: &[T]) -> Option<String> {
        if let Some((field, _)) = self.order.iter().find(|(field, _)| !T::has_field(field)) {
            return Some(unknown_field::<T>(field));
        }
        let mut ends = items.first().into_iter().chain(items.last());
        ends.any(|item| item.value(&self.identifier).is_null()).then(|| {
            format!(
                "an item of the type {} has no `{}`, so a cursor cannot continue after it; every item must have the identifier of the order",
                std::any::type_name::<T>(),
                self.identifier
            )
        })
    }

    fn place_of(&self, item: &impl Record, backward: bool) -> Position {
        let fields = self
            .order
            .iter()
            .map(|(name, direction)| (Cow::Owned(name.clone()), *direction, item.value(name).into_owned()));
        let position = Position::after(fields);
        if backward { position.backward() } else { position }
    }

    fn seal(&self, position: Position) -> String {
        let Position { fields, backward, inclusive } = position;
        let values: Vec<Value<'static>> = fields.into_iter().map(|(_, _, value)| value).collect();
        token::seal(&CursorToken { binding: self.binding, backward, inclusive, values }, &self.key)
    }
}

impl Pagination for Cursor {
    fn window(&self) -> Window<'_> {
        Window::seek(self.position.as_ref(), self.limit)
    }

    fn cursor_fields(&self) -> Vec<&str> {
        self.order.iter().map(|(name, _)| &**name).collect()
    }
}

/// Parses the query parameters `cursor` and `limit` for a [`Cursor`]. It is created when the Api is built.
#[derive(Debug)]
pub struct CursorPlan {
    cursor: ParameterPlan<Option<String>>,
    limit: ParameterPlan<u32>,
    filters: SharedFilters,
    sort: SharedSort,
    scope: Option<CursorBinding>,
    key: CursorKey,
}

impl Part for Cursor {
    type Plan = CursorPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CursorPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let cursor = typed::<Option<String>>(context.registry(), "cursor").min_length(1).description(
            "A cursor from an earlier response of the same list. Without a cursor, the list starts at its beginning.",
        );
        let cursor = errors.take(context.parameter(ParameterLocation::Query, cursor));
        let limits = errors.take(Limits::of_route(context)).unwrap_or_default();
        let limit = errors.take(limits.parameter(context));
        EnvelopeOf::<Self>::impose(context, "CursorResponse<..>");
        let filters = context.operation_state::<SharedFilters>().borrowed();
        let sort = context.operation_state::<SharedSort>().borrowed();
        let scope = context.route().setting::<CursorBinding>().cloned();
        let key = errors.take(CursorKey::of_configuration(context));
        let parts = cursor.zip(limit).zip(key);
        errors.finish(parts.map(|((cursor, limit), key)| CursorPlan { cursor, limit, filters, sort, scope, key }))
    }

    fn describe(plan: &CursorPlan, operation: &mut Operation) {
        operation.is_list = true;
        plan.cursor.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &CursorPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let current = plan.cursor.read(head, violations);
        let limit = plan.limit.read(head, violations);
        let list = binding::read(&plan.filters, &plan.sort, plan.scope.as_ref(), head, violations);
        let token = match &current {
            Some(Some(text)) => token::open(text, &plan.key).map(Some),
            _ => Ok(None),
        };
        let mut refuse = |code: Code, message: &str| {
            violations.push(ViolationLocation::Query, Violation::new("/cursor", code, message));
        };
        let token = match token {
            Ok(token) => Some(token),
            Err(CursorRejection::Invalid) => {
                refuse(codes::CURSOR_INVALID, "is not a cursor of this service; start again without a cursor");
                None
            }
            Err(CursorRejection::Expired) => {
                refuse(codes::CURSOR_EXPIRED, "has expired; start again without a cursor");
                None
            }
        };
        let RequestedList { binding, order, identifier } = list?;
        let position = match token? {
            None => None,
            Some(token) if token.binding == binding && token.values.len() == order.len() => {
                Some(position(token, &order))
            }
            Some(_) => {
                refuse(
                    codes::CURSOR_MISMATCH,
                    "belongs to another list; start again without a cursor, or keep the order and filters",
                );
                return None;
            }
        };
        let key = plan.key.clone();
        Some(Self { current: current?, position, limit: limit?, order, identifier, binding, key })
    }
}

fn position(token: CursorToken, order: &[(String, Direction)]) -> Position {
    let fields = order.iter().zip(token.values);
    let fields = fields.map(|((name, direction), value)| (Cow::Owned(name.clone()), *direction, value)).collect();
    Position { fields, backward: token.backward, inclusive: token.inclusive }
}
