//! Generates the [`RandomStep`]s of a random test. A step is a write, a read, or the begin or end of a transaction.

use std::fmt;

use restwright_list::{Comparison, Expression, SearchText, Value, ValueType};
use restwright_resource::{
    Entity, EntityDefinition, FieldDefinition, IdentifierKind, Managed, Scope, UniqueConstraint,
};
use uuid::Uuid;

use super::choices::Random;
use super::{RandomTestKind, TestPlan};
use crate::Specimen;

/// The number of variables for generated identifiers, per entity definition. A generated identifier differs between stores, so steps refer
/// to it by its variable, which the code calls a place.
pub(super) const PLACES: usize = 3;

/// The placeholder that represents the first variable in a step. The next numbers are the placeholders of the other variables.
const FIRST_PLACE: i64 = -1_000_003;

/// One step of a random test. The first number is the index of the entity definition in the suite.
#[derive(Clone, Debug)]
pub(super) enum RandomStep {
    /// Inserts an entity. The second number is the index of the variable that receives the generated identifier. If the flag is `true`, the
    /// entity keeps its identifier.
    Insert(usize, Scope, ConciseSpecimen, usize, bool),
    Update(usize, Scope, ConciseSpecimen, ExpectedVersion),
    /// Updates an entity, even if it is deleted.
    Restore(usize, Scope, ConciseSpecimen, ExpectedVersion),
    Delete(usize, Scope, Value<'static>, ExpectedVersion),
    /// Reads entities. If the flag is `true`, the read runs outside the open transaction.
    Read(usize, Scope, ReadStep, bool),
    Begin,
    Commit,
    Rollback,
}

#[derive(Clone, Debug)]
pub(super) enum ReadStep {
    Find(Value<'static>),
    Exists(Value<'static>),
    List(Box<ListStep>),
    Count(Expression),
    /// Runs a read that includes deleted entities.
    WithDeleted(Box<Self>),
}

/// The version that an update or delete expects in the store. It is any version, the current version, or a stale version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExpectedVersion {
    Any,
    Current,
    Stale,
}

#[derive(Clone, Debug)]
pub(super) struct ListStep {
    pub(super) filter: Expression,
    /// The sort order, in the syntax of a query parameter.
    pub(super) order: String,
    /// The entity after which the listed items start. If the flag is `true`, the listed items end before the entity.
    pub(super) position: Option<(ConciseSpecimen, bool)>,
    pub(super) is_by_position: bool,
    pub(super) offset: u64,
    pub(super) limit: u32,
    pub(super) is_counted: bool,
}

impl RandomStep {
    /// Returns the index of the step's entity definition in the suite. Returns `None` if the step has no definition.
    pub(super) fn kind(&self) -> Option<usize> {
        match self {
            Self::Insert(kind, ..)
            | Self::Update(kind, ..)
            | Self::Restore(kind, ..)
            | Self::Delete(kind, ..)
            | Self::Read(kind, ..) => Some(*kind),
            Self::Begin | Self::Commit | Self::Rollback => None,
        }
    }
}

/// An entity whose `Debug` output contains only values that differ from the defaults.
#[derive(Clone)]
pub(super) struct ConciseSpecimen(pub(super) Box<Specimen>);

/// Compares entities as JSON strings, which distinguish `0.0` from `-0.0`.
impl PartialEq for ConciseSpecimen {
    fn eq(&self, other: &Self) -> bool {
        let text = |shown: &Self| serde_json::to_string(&shown.0).ok();
        text(self) == text(other)
    }
}

impl fmt::Debug for ConciseSpecimen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = |specimen: &Specimen| serde_json::to_value(specimen).unwrap_or_default();
        let (default, own) = (fields(&Specimen::default()), fields(&self.0));
        let mut map = formatter.debug_map();
        for (name, value) in
            own.as_object().into_iter().flatten().filter(|(name, value)| default.get(name) != Some(value))
        {
            map.entry(&format_args!("{name}"), &format_args!("{value}"));
        }
        map.finish()
    }
}

/// Returns `true` if the store generates the identifiers of the entities.
pub(super) fn is_made(definition: &EntityDefinition) -> bool {
    !matches!(definition.identifier_kind(), IdentifierKind::Given(_))
}

/// Returns `true` if the store generates integer identifiers. Their order may differ between stores, so lists of these entities are
/// compared as sets.
pub(super) fn is_unordered(definition: &EntityDefinition) -> bool {
    definition.identifier_kind() == IdentifierKind::Integer
}

/// Returns the index of the variable whose placeholder is `value`, or `None` for any other value.
pub(super) fn place_of(value: &Value<'_>) -> Option<usize> {
    let number = match value {
        Value::Integer(number) => *number,
        Value::Uuid(uuid) => i128::try_from(uuid.as_u128()).ok()?.checked_neg()?,
        _ => return None,
    };
    usize::try_from(number.checked_sub(FIRST_PLACE.into())?).ok().filter(|place| *place < PLACES)
}

/// Generates the random steps of one case.
pub(super) struct StepGenerator<'p> {
    plan: &'p TestPlan,
    part: RandomTestKind,
    random: Random,
    /// The last identifier that the generator chose for an inserted entity.
    kept: i64,
}

impl<'p> StepGenerator<'p> {
    pub(super) fn new(plan: &'p TestPlan, part: RandomTestKind, seed: u64) -> Self {
        Self { plan, part, random: Random(seed), kept: 0 }
    }

    /// Generates `length` steps. The first 20 steps insert entities. The other steps are of all kinds.
    pub(super) fn make(mut self, length: usize) -> Vec<RandomStep> {
        (0..length).map(|index| if index < 20 { self.insert() } else { self.step() }).collect()
    }

    fn step(&mut self) -> RandomStep {
        let random = &mut self.random;
        match random.below(if self.part == RandomTestKind::Statements { 26 } else { 32 }) {
            0..8 => self.insert(),
            8..12 => {
                let (kind, scope) = self.kind();
                let specimen = self.specimen(kind);
                match self.keeps_deleted(kind) && self.random.once_in(2) {
                    true => RandomStep::Restore(kind, scope, specimen, self.expected()),
                    false => RandomStep::Update(kind, scope, specimen, self.expected()),
                }
            }
            12..15 => {
                let (kind, scope) = self.kind();
                RandomStep::Delete(kind, scope, self.identifier_of(kind), self.expected())
            }
            15..26 => self.read(),
            26..29 => RandomStep::Begin,
            29 | 30 => RandomStep::Commit,
            _ => RandomStep::Rollback,
        }
    }

    fn insert(&mut self) -> RandomStep {
        let (kind, scope) = self.kind();
        let mut specimen = self.specimen(kind);
        let is_kept = self.random.once_in(6);
        if let Some(definition) = self.plan.definitions.get(kind).filter(|definition| is_kept && is_made(definition)) {
            // The identifier is larger than all earlier identifiers. The order then does not depend on the number of generated identifiers.
            self.kept += 1_000_000;
            let kept = match definition.identifier_kind() {
                IdentifierKind::Uuid => Uuid::from_u128(self.kept.unsigned_abs().into()).into(),
                _ => Value::from(self.kept),
            };
            let is_new = self.random.once_in(2);
            let _ = is_new && specimen.0.set_value(definition.identifier(), kept);
        }
        RandomStep::Insert(kind, scope, specimen, self.random.below(PLACES), is_kept)
    }

    fn read(&mut self) -> RandomStep {
        let (kind, scope) = self.kind();
        let is_concurrent = self.part == RandomTestKind::Concurrent && self.random.once_in(2);
        let read = match self.random.below(8) {
            0 => ReadStep::Find(self.identifier_of(kind)),
            1 if self.plan.has_existence => ReadStep::Exists(self.identifier_of(kind)),
            2 => ReadStep::Count(self.expression(kind, 3)),
            _ => ReadStep::List(Box::new(self.query(kind, &scope))),
        };
        let read = match self.keeps_deleted(kind) && self.random.once_in(3) {
            true => ReadStep::WithDeleted(Box::new(read)),
            false => read,
        };
        RandomStep::Read(kind, scope, read, is_concurrent)
    }

    /// Returns `true` if deleted entities of the definition with the index `kind` stay in the store.
    fn keeps_deleted(&self, kind: usize) -> bool {
        self.plan.definitions.get(kind).is_some_and(|definition| definition.deletion_field().is_some())
    }

    fn expected(&mut self) -> ExpectedVersion {
        match self.random.below(4) {
            0 => ExpectedVersion::Stale,
            1 => ExpectedVersion::Current,
            _ => ExpectedVersion::Any,
        }
    }

    /// Returns the index of a random definition, and a scope for a statement on its entities. The definition usually has a field of every
    /// type.
    fn kind(&mut self) -> (usize, Scope) {
        let definitions = &self.plan.definitions;
        let kind = if self.random.once_in(3) { 0 } else { self.random.below(definitions.len()) };
        let mut scope = Scope::new();
        for field in definitions.get(kind).into_iter().flat_map(EntityDefinition::scope_fields) {
            // In rare cases, the scope is empty or incomplete.
            if !self.random.once_in(12) {
                scope = scope.with(field.name().to_owned(), scope_value(&mut self.random, field));
            }
        }
        (kind, scope)
    }

    fn identifier_of(&mut self, kind: usize) -> Value<'static> {
        self.plan.definitions.get(kind).map_or(Value::Null, |definition| identifier(&mut self.random, definition))
    }

    fn specimen(&mut self, kind: usize) -> ConciseSpecimen {
        let mut specimen = Box::new(Specimen::default());
        let definition = self.plan.definitions.get(kind);
        let random = &mut self.random;
        for field in definition.into_iter().flat_map(EntityDefinition::fields) {
            let target = field.reference().and_then(|(target, _)| self.plan.get(target));
            let value = match definition {
                Some(definition) if definition.identifier() == field.name() => identifier(random, definition),
                _ if field.is_scope() => scope_value(random, field),
                _ if field.reference().is_some() && (!self.plan.has_references || random.once_in(2)) => Value::Null,
                _ if field.managed() == Some(Managed::DeletedAt) && !random.once_in(4) => Value::Null,
                _ if field.is_nullable() && random.once_in(4) => Value::Null,
                _ if field.name() == "color" => random.color().into(),
                _ if field.name() == "level" => random.pick(&[1_i64, 2, 10, -1]).into(),
                _ if field.name() == "natural" => random.pick(&[0, 1, 7, u64::MAX >> 1, u64::MAX]).into(),
                _ if is_unique(definition, field) && field.value_type() == ValueType::Text => {
                    random.pick(&["", "a", "A", "ß", "ẞ", "aB"]).into()
                }
                _ => match target {
                    Some(target) => identifier(random, target),
                    None => random.value(field.value_type()),
                },
            };
            // A field that does not accept the value keeps its default.
            let _ = specimen.set_value(field.name(), value);
        }
        if definition.is_some_and(|definition| definition.get("json").is_some()) {
            (specimen.json, specimen.tags) = (random.json(), random.tags());
            specimen.width = if random.once_in(60) { f64::NAN } else { specimen.width };
        }
        ConciseSpecimen(specimen)
    }

    fn expression(&mut self, kind: usize, depth: usize) -> Expression {
        match self.random.below(if depth == 0 { 5 } else { 8 }) {
            0..5 => self.condition(kind),
            5 => Expression::All((0..self.random.below(4)).map(|_| self.expression(kind, depth - 1)).collect()),
            6 => Expression::Any((0..self.random.below(4)).map(|_| self.expression(kind, depth - 1)).collect()),
            _ => !self.expression(kind, depth - 1),
        }
    }

    fn condition(&mut self, kind: usize) -> Expression {
        let list = self.plan.definitions.get(kind).and_then(|definition| definition.get("tags"));
        if list.is_some() && self.random.once_in(12) {
            let item = self.random.pick(&["a", "A", "\u{E000}", "none", "", "a\0", "'"]);
            return Expression::condition("tags", Comparison::Has(item.into()));
        }
        let fields = self.fields(kind);
        let Some((field, target)) = fields.get(self.random.below(fields.len())) else { return Expression::TRUE };
        let operator = match field.value_type() {
            // Filters cannot order enumerations or generated identifiers.
            ValueType::Enumeration => self.random.pick(&[0, 1, 2, 3]),
            _ if target.is_some_and(is_made) => self.random.pick(&[0, 1, 2, 3]),
            _ => self.random.below(if field.is_searchable() { 15 } else { 9 }),
        };
        let random = &mut self.random;
        let value = |random: &mut Random| match target {
            Some(target) if random.once_in(2) || is_made(target) => identifier(random, target),
            _ => random.operand(field.value_type()),
        };
        let comparison = match operator {
            0 => Comparison::Eq(value(random)),
            1 => Comparison::Ne(value(random)),
            2 => Comparison::In((0..random.below(4)).map(|_| value(random)).collect()),
            3 => Comparison::IsNull(random.once_in(2)),
            4 => Comparison::Gt(value(random)),
            5 => Comparison::Gte(value(random)),
            6 => Comparison::Lt(value(random)),
            7 => Comparison::Lte(value(random)),
            8 => Comparison::Between(value(random), value(random)),
            9 | 10 => Comparison::Contains(SearchText::new(random.text())),
            11 | 12 => Comparison::StartsWith(SearchText::new(random.text())),
            _ => Comparison::EndsWith(SearchText::new(random.text())),
        };
        Expression::condition(field.name().to_owned(), comparison)
    }

    fn query(&mut self, kind: usize, scope: &Scope) -> ListStep {
        let fields = self.fields(kind);
        let mut order: Vec<&str> = Vec::new();
        for _ in 0..self.random.below(4) {
            // Only enumerations of strings have an order. The identifier is the last field of the order.
            let field = fields.get(1 + self.random.below(fields.len() - 1)).map(|(field, _)| field.name());
            order.extend(field.filter(|name| *name != "level" && !order.contains(name)));
        }
        let definition = self.plan.definitions.get(kind);
        // Identifiers that clients give are unique only within a scope. The scope makes an order across scopes unique.
        let keyed = definition.into_iter().filter(|definition| !is_made(definition));
        let across = keyed.flat_map(EntityDefinition::scope_fields).map(FieldDefinition::name);
        let across: Vec<_> = across.filter(|name| scope.get(name).is_none() && !order.contains(name)).collect();
        order.extend(across);
        let identifier = definition.map(EntityDefinition::identifier);
        order.extend(identifier.filter(|_| self.random.once_in(2)));
        let order =
            order.into_iter().map(|name| if self.random.once_in(2) { name.to_owned() } else { format!("-{name}") });
        let order = order.collect::<Vec<_>>().join(",");
        let filter = if self.random.once_in(4) { Expression::TRUE } else { self.expression(kind, 2) };
        let is_counted = self.random.once_in(2);
        if self.plan.definitions.get(kind).is_some_and(is_unordered) {
            let (position, limit) = (None, 1_000);
            return ListStep { filter, order, position, is_by_position: true, offset: 0, limit, is_counted };
        }
        let is_by_position = self.random.once_in(2);
        let position = if is_by_position && !self.random.once_in(4) {
            Some((self.specimen(kind), self.random.once_in(2)))
        } else {
            None
        };
        ListStep {
            filter,
            order,
            position,
            is_by_position,
            offset: if is_by_position { 0 } else { self.random.pick(&[0, 1, 2, 3]) },
            limit: self.random.pick(&[0, 1, 2, 3, 5, 50]),
            is_counted,
        }
    }

    /// Returns the fields of a definition, except JSON fields and the version field. Each field is paired with the definition that the
    /// field identifies, if any.
    fn fields(&self, kind: usize) -> Vec<(&'p FieldDefinition, Option<&'p EntityDefinition>)> {
        let Some(definition) = self.plan.definitions.get(kind) else { return Vec::new() };
        let fields = definition
            .fields()
            .filter(|field| field.value_type() != ValueType::Json && field.managed() != Some(Managed::Version));
        let plan = self.plan;
        fields.map(|field| (field, plan.identified(definition, field.name()))).collect()
    }
}

/// Returns `true` if the field is part of a unique constraint.
fn is_unique(definition: Option<&EntityDefinition>, field: &FieldDefinition) -> bool {
    definition
        .is_some_and(|one| one.unique_constraints().flat_map(UniqueConstraint::fields).any(|name| name == field.name()))
}

fn scope_value(random: &mut Random, field: &FieldDefinition) -> Value<'static> {
    if field.value_type() == ValueType::Text {
        return random.pick(&["p", "P", "' OR 1=1 --"]).into();
    }
    random.pick(&[1_i64, 1, 2]).into()
}

/// Returns a random identifier from a small set, so several steps use the same identifier.
fn identifier(random: &mut Random, definition: &EntityDefinition) -> Value<'static> {
    let place = FIRST_PLACE + random.pick(&[0, 1, 2]);
    match definition.identifier_kind() {
        IdentifierKind::Uuid => Uuid::from_u128(place.unsigned_abs().into()).into(),
        IdentifierKind::Integer => place.into(),
        IdentifierKind::Given(ValueType::Text) => random.pick(&["a", "A", "b", "ß", "c/d é"]).into(),
        IdentifierKind::Given(ValueType::Uuid) => random.uuid().into(),
        // An integer that the test sets.
        _ => random.pick(&[1_i64, 2, 3, 4, 0, -1, i64::MAX]).into(),
    }
}
