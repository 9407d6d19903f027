//! Executes random steps on a store.

use std::collections::BTreeMap;

use jiff::Timestamp;
use restwright_list::{Comparison, Condition, Expression, ListSlice, Position, Record, Uncounted, Value, Window};
use restwright_resource::{
    Entity, EntityDefinition, IdentifierKind, ListQuery, Managed, Read, Repository, Scope, Statement, Store,
    Transaction, Version, Versioned,
};

use super::TestPlan;
use super::steps::{
    ConciseSpecimen, ExpectedVersion, ListStep, PLACES, RandomStep, ReadStep, is_made, is_unordered, place_of,
};
use crate::Specimen;
use crate::table::{StoreFailure, place, sort};

/// An integer that is not the identifier of any entity.
const NOTHING: i64 = -5;

/// The deletion time that every delete stores.
const DELETED: Timestamp = Timestamp::constant(1_700_000_000, 0);

/// A store under test and its open transaction. It records the identifiers and versions that the store has returned.
pub(super) struct World<'p, S: Store> {
    plan: &'p TestPlan,
    store: S,
    open: Option<OpenTransaction>,
    known: Known,
}

struct OpenTransaction {
    transaction: Transaction,
    /// The identifiers and versions that were known before the transaction. They are restored if the transaction is undone.
    before: Known,
    has_failed: bool,
}

/// The identifiers and versions that a store has returned. They differ between stores, so they are not compared directly.
#[derive(Clone, Default)]
struct Known {
    /// The known identifiers, each with the name of its definition. The store generated them, or inserted entities kept them.
    made: Vec<(String, Value<'static>)>,
    /// The generated identifiers that are stored in variables, by the name of the definition.
    places: BTreeMap<String, [Option<Value<'static>>; PLACES]>,
    /// The last known version of each entity.
    versions: BTreeMap<(String, Vec<Value<'static>>), Version>,
}

/// The result of a step. The flag of an entity is `true` if the returned version is the last known version.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum StepOutcome {
    Nothing,
    Entity(ConciseSpecimen, bool),
    Exists(bool),
    Items { items: Vec<(ConciseSpecimen, bool)>, has_previous: bool, has_next: bool, total: Option<u64> },
    Count(u64),
}

impl<'p, S: Store> World<'p, S> {
    pub(super) fn new(plan: &'p TestPlan, store: S) -> Self {
        Self { plan, store, open: None, known: Known::default() }
    }

    /// Executes a step. The step runs in the open transaction, if one is open.
    pub(super) async fn take(&mut self, step: &RandomStep) -> Result<StepOutcome, StoreFailure> {
        let outcome = match step {
            RandomStep::Begin => self.begin().await,
            RandomStep::Commit => self.commit().await,
            RandomStep::Rollback => {
                self.undo();
                Ok(StepOutcome::Nothing)
            }
            step => {
                let definition = step.kind().and_then(|kind| self.plan.definitions.get(kind));
                let Some(definition) = definition else { return Ok(StepOutcome::Nothing) };
                let is_concurrent = matches!(step, RandomStep::Read(.., true));
                let mut open = self.open.take();
                let outcome = match &mut open {
                    Some(open) if !is_concurrent && open.has_failed => Ok(StepOutcome::Nothing),
                    Some(open) if !is_concurrent => {
                        let outcome = self.statement(step, definition, Some(&mut open.transaction)).await;
                        open.has_failed = outcome.is_err();
                        outcome
                    }
                    _ => self.statement(step, definition, None).await,
                };
                self.open = open;
                outcome
            }
        };
        outcome.map_err(|failure| match failure {
            StoreFailure::Failed(_) => StoreFailure::Failed(String::new()),
            other => other,
        })
    }

    async fn begin(&mut self) -> Result<StepOutcome, StoreFailure> {
        self.undo();
        let transaction = self.store.begin().await?;
        self.open = Some(OpenTransaction { transaction, before: self.known.clone(), has_failed: false });
        Ok(StepOutcome::Nothing)
    }

    async fn commit(&mut self) -> Result<StepOutcome, StoreFailure> {
        let Some(open) = self.open.take() else { return Ok(StepOutcome::Nothing) };
        if self.store.commit(open.transaction).await.is_ok() {
            return Ok(StepOutcome::Nothing);
        }
        self.known = open.before;
        // The error of a failed transaction differs between stores.
        Err(StoreFailure::TransactionConflict)
    }

    fn undo(&mut self) {
        if let Some(open) = self.open.take() {
            drop(open.transaction);
            self.known = open.before;
        }
    }

    async fn statement(
        &mut self,
        step: &RandomStep,
        definition: &EntityDefinition,
        transaction: Option<&mut Transaction>,
    ) -> Result<StepOutcome, StoreFailure> {
        let (RandomStep::Insert(_, scope, ..)
        | RandomStep::Update(_, scope, ..)
        | RandomStep::Restore(_, scope, ..)
        | RandomStep::Delete(_, scope, ..)
        | RandomStep::Read(_, scope, ..)) = step
        else {
            return Ok(StepOutcome::Nothing);
        };
        let statement = Statement::new(definition).scoped(scope);
        let statement = match transaction {
            Some(transaction) => statement.within(transaction),
            None => statement,
        };
        match step {
            RandomStep::Insert(_, _, entity, place, is_kept) => {
                let entity = self.resolved(definition, entity);
                let statement = if *is_kept { statement.keep_identifier() } else { statement };
                let inserted = self.store.insert(statement, entity).await?;
                self.note(definition, &inserted, *place);
                Ok(self.written(definition, inserted))
            }
            RandomStep::Update(_, _, entity, expected) | RandomStep::Restore(_, _, entity, expected) => {
                let statement =
                    if matches!(step, RandomStep::Restore(..)) { statement.with_deleted() } else { statement };
                let entity = self.resolved(definition, entity);
                let expected = self.version(definition, scope, &entity.value(definition.identifier()), *expected);
                let updated = self.store.update(statement, entity, expected).await?;
                Ok(self.written(definition, updated))
            }
            RandomStep::Delete(_, _, identifier, expected) => {
                let identifier = self.value(definition, definition.identifier(), identifier);
                let expected = self.version(definition, scope, &identifier, *expected);
                self.store.delete(statement.at(DELETED), &identifier, expected).await?;
                Ok(StepOutcome::Nothing)
            }
            RandomStep::Read(_, _, read, _) => Ok(self.read(definition, statement, read).await?),
            RandomStep::Begin | RandomStep::Commit | RandomStep::Rollback => Ok(StepOutcome::Nothing),
        }
    }

    async fn read(
        &self,
        definition: &EntityDefinition,
        statement: Statement<'_>,
        read: &ReadStep,
    ) -> Result<StepOutcome, StoreFailure> {
        let identifier = |identifier| self.value(definition, definition.identifier(), identifier);
        let (read, statement) = match read {
            ReadStep::WithDeleted(read) => (&**read, statement.with_deleted()),
            read => (read, statement),
        };
        Ok(match read {
            ReadStep::WithDeleted(_) => StepOutcome::Nothing,
            ReadStep::Find(wanted) => match self.store.find(statement, &identifier(wanted)).await? {
                Some(found) => {
                    let (shown, is_known) = self.shown(definition, found);
                    StepOutcome::Entity(shown, is_known)
                }
                None => StepOutcome::Nothing,
            },
            ReadStep::Exists(wanted) => {
                let (identifier, condition) = (identifier(wanted), Expression::TRUE);
                let read = Read::Exists { identifier: &identifier, condition: &condition };
                StepOutcome::Exists(self.store.read(statement, read).await?.total > 0)
            }
            ReadStep::Count(filter) => {
                StepOutcome::Count(self.store.count(statement, &self.filter(definition, filter)).await?)
            }
            ReadStep::List(query) => {
                let (listed, total) = self.list(definition, statement, query).await?;
                let (has_previous, has_next) = (listed.has_previous(), listed.has_next());
                let items = listed.items.into_iter().map(|item| self.shown(definition, item));
                let mut items: Vec<_> = items.collect();
                if is_unordered(definition) {
                    items.sort_by_cached_key(|item| format!("{item:?}"));
                }
                StepOutcome::Items { items, has_previous, has_next, total }
            }
        })
    }

    async fn list(
        &self,
        definition: &EntityDefinition,
        statement: Statement<'_>,
        query: &ListStep,
    ) -> Result<(ListSlice<Versioned<Specimen>, Uncounted>, Option<u64>), StoreFailure> {
        let order = sort(definition, &query.order)?;
        let position = query.position.as_ref().map(|(entity, is_before)| {
            let position = Position::after(place(&order, &self.resolved(definition, entity)));
            if *is_before { position.backward() } else { position }
        });
        let window = match query.is_by_position {
            true => Window::seek(position.as_ref(), query.limit),
            false => Window::skip(query.offset, query.limit),
        };
        let wanted = ListQuery::new(self.filter(definition, &query.filter), &order, &window);
        if query.is_counted {
            let counted = self.store.list_counted(statement, &wanted).await?;
            let total = counted.totals.0;
            return Ok((counted.without_total(), Some(total)));
        }
        Ok((self.store.list(statement, &wanted).await?, None))
    }

    /// Stores the generated identifier of an inserted entity in a variable.
    fn note(&mut self, definition: &EntityDefinition, inserted: &Versioned<Specimen>, place: usize) {
        if !is_made(definition) {
            return;
        }
        let identifier = inserted.entity.value(definition.identifier()).into_owned();
        let made = (definition.name().to_owned(), identifier.clone());
        if !self.known.made.contains(&made) {
            self.known.made.push(made);
        }
        let places = self.known.places.entry(definition.name().to_owned()).or_default();
        if let Some(place) = places.get_mut(place) {
            *place = Some(identifier);
        }
    }

    /// Records the version of an inserted or updated entity. Returns the entity as the result of the step.
    fn written(&mut self, definition: &EntityDefinition, written: Versioned<Specimen>) -> StepOutcome {
        let (key, version) = (key(definition, &written.entity), written.version);
        let (shown, is_known) = self.shown(definition, written);
        self.known.versions.insert(key, version);
        StepOutcome::Entity(shown, is_known)
    }

    fn version(
        &self,
        definition: &EntityDefinition,
        scope: &Scope,
        identifier: &Value<'_>,
        expected: ExpectedVersion,
    ) -> Option<Version> {
        let key = Statement::new(definition).scoped(scope).key(identifier).unwrap_or_default();
        let known = self.known.versions.get(&(definition.name().to_owned(), key)).map_or(0, |version| version.number());
        match expected {
            ExpectedVersion::Any => None,
            ExpectedVersion::Current => Some(Version::new(known)),
            ExpectedVersion::Stale => Some(Version::new(known ^ 1)),
        }
    }

    /// Replaces the generated identifiers and the version of an entity with numbers, so results from both stores can be compared. The flag
    /// is `true` if the version is the last known version.
    fn shown(&self, definition: &EntityDefinition, found: Versioned<Specimen>) -> (ConciseSpecimen, bool) {
        let mut shown = found.entity;
        let is_known = self.known.versions.get(&key(definition, &shown)) == Some(&found.version);
        for field in definition.fields() {
            let value = shown.value(field.name()).into_owned();
            if field.managed() == Some(Managed::Version) && value == Value::from(found.version.number()) {
                let _ = shown.set_value(field.name(), 1.into());
            }
            let Some(target) = self.plan.identified(definition, field.name()).filter(|target| is_made(target)) else {
                continue;
            };
            let made = (target.name().to_owned(), value);
            if let Some(index) = self.known.made.iter().position(|other| *other == made) {
                let _ = shown.set_value(field.name(), numbered(target, index));
            }
        }
        (ConciseSpecimen(Box::new(shown)), is_known)
    }

    /// Replaces the placeholders in the entity of a step with generated identifiers.
    fn resolved(&self, definition: &EntityDefinition, entity: &ConciseSpecimen) -> Specimen {
        let mut entity = (*entity.0).clone();
        for field in definition.fields() {
            let value = entity.value(field.name()).into_owned();
            if place_of(&value).is_some() {
                let _ = entity.set_value(field.name(), self.value(definition, field.name(), &value));
            }
        }
        entity
    }

    /// Returns the generated identifier that replaces a placeholder in a step. Returns any other value unchanged.
    fn value(&self, definition: &EntityDefinition, field: &str, value: &Value<'static>) -> Value<'static> {
        match (self.plan.identified(definition, field), place_of(value)) {
            (Some(target), Some(place)) if is_made(target) => {
                let made = self.known.places.get(target.name()).and_then(|places| places.get(place)?.clone());
                made.unwrap_or_else(|| match target.identifier_kind() {
                    IdentifierKind::Uuid => uuid::Uuid::max().into(),
                    _ => NOTHING.into(),
                })
            }
            _ => value.clone(),
        }
    }

    fn filter(&self, definition: &EntityDefinition, filter: &Expression) -> Expression {
        let all = |several: &[Expression]| several.iter().map(|one| self.filter(definition, one)).collect();
        match filter {
            Expression::All(several) => Expression::All(all(several)),
            Expression::Any(several) => Expression::Any(all(several)),
            Expression::Not(one) => !self.filter(definition, one),
            Expression::Condition(condition) => {
                let value = |value| self.value(definition, condition.field(), value);
                let comparison = match condition.comparison() {
                    Comparison::Eq(given) => Comparison::Eq(value(given)),
                    Comparison::Ne(given) => Comparison::Ne(value(given)),
                    Comparison::In(given) => Comparison::In(given.iter().map(value).collect()),
                    other => other.clone(),
                };
                Expression::Condition(Condition::new(condition.field().to_owned(), comparison))
            }
            other => other.clone(),
        }
    }
}

fn key(definition: &EntityDefinition, entity: &Specimen) -> (String, Vec<Value<'static>>) {
    (definition.name().to_owned(), definition.key(entity))
}

fn numbered(definition: &EntityDefinition, index: usize) -> Value<'static> {
    match definition.identifier_kind() {
        IdentifierKind::Uuid => uuid::Uuid::from_u128(u128::try_from(index).unwrap_or_default()).into(),
        _ => i64::try_from(index).unwrap_or_default().into(),
    }
}
