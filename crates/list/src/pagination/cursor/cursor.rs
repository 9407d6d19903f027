//! [`Cursor`]: the part of the request.

use std::borrow::Cow;
use std::sync::Arc;

use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::ParameterPlan;
use restwright_core::problem::{Location, RequestViolations};
use restwright_core::schema::{Code, Violation, typed};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use super::super::envelope::Imposed;
use super::binding::{self, Binding, List};
use super::key::CursorKey;
use super::response::CursorResponse;
use super::token::{self, Refusal, Token};
use crate::apply::unknown_field;
use crate::codes;
use crate::pagination::{Context, Limits, ListSlice, Pagination, Position, Totals, Window};
use crate::record::Record;
use crate::sort::{Direction, Sort, SortBag};
use crate::value::Value;

/// A place in the list, and how many items are wanted next to it ([`Limits`]). Answered with a [`CursorResponse`].
///
/// It belongs to the route, the order and the filters with which it was made; on another list, changed, or too old it is a
/// violation. A request with a cursor has a [`SortBag`](crate::SortBag).
///
/// A cursor has the values of the sort fields in it. They are sealed and not hidden: whoever decodes it reads them, so that a list is
/// not sorted by what its clients may not see. Sorting by long texts makes long cursors: one has about 100 characters, and 4 for
/// every 3 bytes of those values.
#[derive(Clone, Debug)]
pub struct Cursor {
    current: Option<String>,
    position: Option<Position>,
    limit: u32,
    order: Vec<(String, Direction)>,
    /// The field of the order that no item lacks.
    identifier: String,
    binding: Binding,
    key: CursorKey,
}

impl Cursor {
    /// The start of a list in this order with at most so many items, as a request without a cursor asks for it: for tests, since
    /// the cursors that it answers with lead nowhere. `None` for a limit of 0.
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

    /// The same with the items after this one wanted.
    #[must_use]
    pub fn after(&self, item: &impl Record) -> Self {
        Self { position: Some(self.place_of(item, false)), ..self.clone() }
    }

    /// The same with the items before this one wanted.
    #[must_use]
    pub fn before(&self, item: &impl Record) -> Self {
        Self { position: Some(self.place_of(item, true)), ..self.clone() }
    }

    /// The answer. The fields of the first and the last item become the cursors of the neighbouring pages.
    ///
    /// An item without identifier, and a field of the order that the [`Record`] does not have by this name, is a 500, and not a list
    /// that ends early.
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

    /// Why no cursor leads on from these items.
    fn failure<T: Record>(&self, items: &[T]) -> Option<String> {
        if let Some((field, _)) = self.order.iter().find(|(field, _)| !T::has_field(field)) {
            return Some(unknown_field::<T>(field));
        }
        let mut ends = items.first().into_iter().chain(items.last());
        ends.any(|item| item.value(&self.identifier).is_null()).then(|| {
            format!(
                "an item of the type {} has no `{}`, so that no cursor leads past it: no item may lack the identifier of the order",
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
        token::seal(&Token { binding: self.binding, backward, inclusive, values }, &self.key)
    }
}

impl Pagination for Cursor {
    fn window(&self) -> Window<'_> {
        Window::Seek { position: self.position.as_ref(), read: u64::from(self.limit) + 1 }
    }
}

/// How a [`Cursor`] is read.
#[derive(Debug)]
pub struct CursorPlan {
    cursor: ParameterPlan<Option<String>>,
    limit: ParameterPlan<u32>,
    context: Arc<Context>,
    key: CursorKey,
}

impl Part for Cursor {
    type Plan = CursorPlan;

    fn plan(planner: &mut BuildContext<'_>) -> Result<CursorPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let cursor = typed::<Option<String>>(planner.registry(), "cursor")
            .description("A cursor of an earlier answer to the same list; without it, the list starts.");
        let cursor = errors.take(planner.parameter(ParameterLocation::Query, cursor));
        let limit = errors.take(Limits::of(planner).and_then(|limits| limits.parameter(planner)));
        Imposed::<Self>::on(planner, "CursorResponse<..>");
        let context = Arc::clone(planner.operation_state());
        let key = errors.take(CursorKey::of(planner));
        let parts = cursor.zip(limit).zip(key);
        errors.finish(parts.map(|((cursor, limit), key)| CursorPlan { cursor, limit, context, key }))
    }

    fn describe(plan: &CursorPlan, operation: &mut Operation) {
        plan.cursor.describe(operation);
        plan.limit.describe(operation);
    }

    fn read(plan: &CursorPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let current = plan.cursor.read(head, violations);
        let limit = plan.limit.read(head, violations);
        let token = match &current {
            Some(Some(text)) => token::open(text, &plan.key).map(Some),
            _ => Ok(None),
        };
        let mut refuse = |code: Code, message: &str| {
            violations.push(Location::Query, Violation::new("/cursor", code, message));
        };
        let token = match token {
            Ok(token) => Some(token),
            Err(Refusal::Invalid) => {
                refuse(codes::CURSOR_INVALID, "is not a cursor that this service made; start again without it");
                None
            }
            Err(Refusal::Expired) => {
                refuse(codes::CURSOR_EXPIRED, "is too old; start again without a cursor");
                None
            }
        };
        let List { binding, order, identifier } = binding::of(&plan.context, head)?;
        let position = match token? {
            None => None,
            Some(token) if token.binding == binding && token.values.len() == order.len() => {
                Some(position(token, &order))
            }
            Some(_) => {
                refuse(
                    codes::CURSOR_MISMATCH,
                    "belongs to another list: start again without it, or keep order and filters",
                );
                return None;
            }
        };
        let key = plan.key.clone();
        Some(Self { current: current?, position, limit: limit?, order, identifier, binding, key })
    }
}

fn position(token: Token, order: &[(String, Direction)]) -> Position {
    let fields = order.iter().zip(token.values);
    let fields = fields.map(|((name, direction), value)| (Cow::Owned(name.clone()), *direction, value)).collect();
    Position { fields, backward: token.backward, inclusive: token.inclusive }
}
