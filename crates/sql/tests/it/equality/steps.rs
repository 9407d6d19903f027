//! The steps of a case: writes, transactions and queries, as data.

use restwright_list::{Comparison, Direction, Expression, Position, SearchText, SortBag, SortFields, Value, ValueType};

use super::choices::Choices;
use super::thing::{KINDS, Kind, Thing};
use super::values::{identifier, operand, search, tenant, thing};

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Insert(Kind, Box<Thing>),
    Update(Kind, Box<Thing>, Expected),
    Delete(Kind, i64, Value<'static>, Expected),
    Find(Kind, i64, Value<'static>),
    Exists(Kind, i64, Value<'static>),
    List(Kind, i64, Box<Query>),
    /// In one tenant, or in all.
    Count(Kind, Option<i64>, Expression),
    Begin,
    Commit,
    Rollback,
}

/// The version that is expected: any, that of the entity, or another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expected {
    Any,
    Current,
    Stale,
}

#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) filter: Expression,
    pub(crate) order: SortBag,
    pub(crate) position: Option<Position>,
    pub(crate) is_by_position: bool,
    pub(crate) offset: u64,
    pub(crate) limit: u32,
}

impl Step {
    /// Returns `true` for what may be outside of an open transaction.
    pub(crate) fn reads(&self) -> bool {
        matches!(self, Self::Find(..) | Self::Exists(..) | Self::List(..) | Self::Count(..))
    }
}

/// Returns steps, until there are no more decisions: first some entities, then all kinds of steps.
pub(crate) fn steps(choices: &mut Choices<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    for kind in [Kind::Family, Kind::Thing, Kind::Thing, Kind::Part] {
        steps.push(Step::Insert(kind, Box::new(thing(choices, kind))));
    }
    while !choices.is_empty() && steps.len() < 60 {
        steps.push(step(choices));
    }
    steps
}

fn step(choices: &mut Choices<'_>) -> Step {
    let kind = match choices.below(6) {
        0..3 => Kind::Thing,
        other => KINDS[other - 3],
    };
    let expected =
        |choices: &mut Choices<'_>| choices.pick(&[Expected::Any, Expected::Current, Expected::Any, Expected::Stale]);
    match choices.below(24) {
        0..7 => Step::List(kind, tenant(choices), Box::new(query(choices, kind))),
        7..13 => Step::Insert(kind, Box::new(thing(choices, kind))),
        13..16 => Step::Update(kind, Box::new(thing(choices, kind)), expected(choices)),
        16 | 17 => Step::Delete(kind, tenant(choices), identifier(choices, kind), expected(choices)),
        18 => Step::Find(kind, tenant(choices), identifier(choices, kind)),
        19 => Step::Exists(kind, tenant(choices), identifier(choices, kind)),
        20 => Step::Count(kind, (!choices.once_in(3)).then(|| tenant(choices)), expression(choices, kind, 3)),
        21 => Step::Begin,
        22 => Step::Commit,
        _ => Step::Rollback,
    }
}

/// Returns the fields that hold single values.
fn fields(kind: Kind) -> Vec<(String, ValueType, bool)> {
    let definition = kind.definition();
    let fields = definition.fields().filter(|field| field.value_type() != ValueType::Json);
    fields.map(|field| (field.name().to_owned(), field.value_type(), field.is_searchable())).collect()
}

fn expression(choices: &mut Choices<'_>, kind: Kind, depth: usize) -> Expression {
    let several =
        |choices: &mut Choices<'_>| (0..choices.below(4)).map(|_| expression(choices, kind, depth - 1)).collect();
    match choices.below(if depth == 0 { 5 } else { 8 }) {
        0..5 => condition(choices, kind),
        5 => Expression::All(several(choices)),
        6 => Expression::Any(several(choices)),
        _ => !expression(choices, kind, depth - 1),
    }
}

fn condition(choices: &mut Choices<'_>, kind: Kind) -> Expression {
    let (field, value_type, is_searched) = choices.pick(&fields(kind));
    let operator = match value_type {
        // Enumerations have no order in filters.
        ValueType::Enumeration => choices.pick(&[0, 1, 7, 8]),
        _ => choices.below(if is_searched { 15 } else { 9 }),
    };
    let mut value = || operand(choices, value_type);
    let comparison = match operator {
        0 => Comparison::Eq(value()),
        1 => Comparison::Ne(value()),
        2 => Comparison::Gt(value()),
        3 => Comparison::Gte(value()),
        4 => Comparison::Lt(value()),
        5 => Comparison::Lte(value()),
        6 => Comparison::Between(value(), value()),
        7 => Comparison::In((0..choices.below(4)).map(|_| operand(choices, value_type)).collect()),
        8 => Comparison::IsNull(choices.once_in(2)),
        9 | 10 => Comparison::Contains(SearchText::new(search(choices))),
        11 | 12 => Comparison::StartsWith(SearchText::new(search(choices))),
        _ => Comparison::EndsWith(SearchText::new(search(choices))),
    };
    Expression::condition(field, comparison)
}

fn query(choices: &mut Choices<'_>, kind: Kind) -> Query {
    let fields = fields(kind);
    let mut sorted = SortFields::by_identifier(kind.identifier());
    let mut requested: Vec<(String, Direction)> = Vec::new();
    for _ in 0..choices.below(4) {
        let (field, ..) = choices.pick(&fields);
        // Only enumerations of texts are in an order; a definition has integers for one of integers.
        if field == "level" || field == kind.identifier() || requested.iter().any(|(name, _)| *name == field) {
            continue;
        }
        sorted = sorted.field(field.clone());
        requested.push((field, choices.pick(&[Direction::Ascending, Direction::Descending])));
    }
    if choices.once_in(3) {
        requested.push((kind.identifier().to_owned(), Direction::Descending));
    }
    let order = SortBag::among(&sorted, requested.iter().map(|(name, direction)| (name.as_str(), *direction))).unwrap();
    let filter = if choices.once_in(2) { expression(choices, kind, 2) } else { Expression::TRUE };
    let is_by_position = choices.once_in(2);
    let position = (is_by_position && choices.once_in(2)).then(|| {
        let place = thing(choices, kind);
        let place = order.iter().map(|entry| {
            let name = entry.name().to_owned();
            let value = restwright_list::Record::value(&place, &name).into_owned();
            (name.into(), entry.direction, value)
        });
        let position = Position::after(place.collect::<Vec<_>>());
        if choices.once_in(2) { position.backward() } else { position }
    });
    let offset = if is_by_position { 0 } else { u64::try_from(choices.below(4)).unwrap() };
    let limit = u32::try_from(choices.below(6)).unwrap();
    Query { filter, order, position, is_by_position, offset, limit }
}
