//! One store, on which steps are taken.

use restwright_list::{ListSlice, Uncounted, Value, Window};
use restwright_resource::{ListQuery, Repository, Scope, Statement, Store, StoreError, Version, Versioned};

use super::steps::{Expected, Query, Step};
use super::thing::{Kind, Thing};

/// A store with its open transaction.
pub(crate) struct World<S: Store> {
    pub(crate) store: S,
    transaction: Option<S::Transaction>,
}

/// What a step has shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shown {
    Nothing,
    Thing(Box<Thing>),
    Exists(bool),
    Items { items: Vec<Thing>, has_previous: bool, has_next: bool },
    Count(u64),
}

/// The kind of an error with the field or the table that it names.
pub(crate) type Outcome = Result<Shown, String>;

impl<S: Repository<Thing>> World<S> {
    pub(crate) fn new(store: S) -> Self {
        Self { store, transaction: None }
    }

    /// Takes a step in the open transaction, if it is not to be outside.
    pub(crate) async fn take(&mut self, step: &Step, is_outside: bool) -> Outcome {
        self.run(step, is_outside).await.map_err(|error| kind_of(&error))
    }

    async fn run(&mut self, step: &Step, is_outside: bool) -> Result<Shown, StoreError> {
        let mut transaction = self.transaction.take();
        let inside = if is_outside { None } else { transaction.as_mut() };
        let shown = match step {
            Step::Begin => {
                drop(transaction);
                transaction = Some(self.store.begin().await?);
                Ok(Shown::Nothing)
            }
            Step::Commit => match transaction.take() {
                Some(transaction) => self.store.commit(transaction).await.map(|()| Shown::Nothing),
                None => Ok(Shown::Nothing),
            },
            Step::Rollback => {
                transaction = None;
                Ok(Shown::Nothing)
            }
            step => self.statement(step, inside).await,
        };
        self.transaction = transaction;
        shown
    }

    async fn statement(&self, step: &Step, mut inside: Option<&mut S::Transaction>) -> Result<Shown, StoreError> {
        let store = &self.store;
        let tenant = match step {
            Step::Insert(_, thing) | Step::Update(_, thing, _) => Some(thing.tenant),
            Step::Delete(_, tenant, ..) | Step::Find(_, tenant, _) | Step::Exists(_, tenant, _) => Some(*tenant),
            Step::List(_, tenant, _) => Some(*tenant),
            Step::Count(_, tenant, _) => *tenant,
            Step::Begin | Step::Commit | Step::Rollback => None,
        };
        let scope = tenant.map_or_else(Scope::new, |tenant| Scope::new().with("tenant", tenant));
        let (Step::Insert(kind, _)
        | Step::Update(kind, ..)
        | Step::Delete(kind, ..)
        | Step::Find(kind, ..)
        | Step::Exists(kind, ..)
        | Step::List(kind, ..)
        | Step::Count(kind, ..)) = step
        else {
            return Ok(Shown::Nothing);
        };
        let definition = kind.definition();
        let expected = match step {
            Step::Update(_, thing, expected) => Some((identifier_of(*kind, thing), *expected)),
            Step::Delete(_, _, identifier, expected) => Some((identifier.clone(), *expected)),
            _ => None,
        };
        let mut version = None;
        if let Some((identifier, expected)) = expected.filter(|(_, expected)| *expected != Expected::Any) {
            let statement = statement(&definition, &scope, inside.as_deref_mut());
            let found: Option<Versioned<Thing>> = store.find(statement, &identifier).await?;
            let current = found.map_or(0, |found| found.version.number());
            version = Some(Version::new(if expected == Expected::Stale { current.wrapping_add(1) } else { current }));
        }
        let statement = statement(&definition, &scope, inside);
        let shown = |thing: Versioned<Thing>| Shown::Thing(Box::new(thing.entity));
        Ok(match step {
            Step::Insert(_, thing) => shown(store.insert(statement, (**thing).clone()).await?),
            Step::Update(_, thing, _) => shown(store.update(statement, (**thing).clone(), version).await?),
            Step::Delete(_, _, identifier, _) => {
                Repository::<Thing>::delete(store, statement, identifier, version).await?;
                Shown::Nothing
            }
            Step::Find(_, _, identifier) => store.find(statement, identifier).await?.map_or(Shown::Nothing, shown),
            Step::Exists(_, _, identifier) => Shown::Exists(store.exists(statement, identifier).await?),
            Step::Count(_, _, filter) => Shown::Count(Repository::<Thing>::count(store, statement, filter).await?),
            Step::List(_, _, query) => {
                let window = window(query);
                items(store.list(statement, &ListQuery::new(query.filter.clone(), &query.order, &window)).await?)
            }
            Step::Begin | Step::Commit | Step::Rollback => Shown::Nothing,
        })
    }
}

fn statement<'s, S: Store>(
    definition: &'s restwright_resource::EntityDefinition,
    scope: &'s Scope,
    transaction: Option<&'s mut S::Transaction>,
) -> Statement<'s, S> {
    let statement = Statement::new(definition).scoped(scope);
    match transaction {
        Some(transaction) => statement.within(transaction),
        None => statement,
    }
}

fn window(query: &Query) -> Window<'_> {
    match &query.position {
        position if query.is_by_position => Window::seek(position.as_ref(), query.limit),
        _ => Window::skip(query.offset, query.limit),
    }
}

fn items(slice: ListSlice<Versioned<Thing>, Uncounted>) -> Shown {
    let (has_previous, has_next) = (slice.has_previous(), slice.has_next());
    let items = slice.items.into_iter().map(|item| item.entity).collect();
    Shown::Items { items, has_previous, has_next }
}

fn identifier_of(kind: Kind, thing: &Thing) -> Value<'static> {
    restwright_list::Record::value(thing, kind.identifier()).into_owned()
}

fn kind_of(error: &StoreError) -> String {
    match error {
        StoreError::Failed(source) if source.to_string().contains("begin another") => "failed".to_owned(),
        StoreError::Failed(source) => format!("failed: {source}"),
        StoreError::Unavailable(_) => "unavailable".to_owned(),
        StoreError::InvalidValue { field, reason } => format!("invalid value of {field}: {reason}"),
        other => other.to_string(),
    }
}
