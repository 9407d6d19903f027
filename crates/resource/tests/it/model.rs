//! Compares random statements on a memory store with a plain map.

use std::collections::BTreeMap;

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use restwright_conformance::Specimen;
use restwright_list::{Comparison, Direction, Expression, Offset, SortBag, SortFields, ValueType};
use restwright_resource::{
    EntityDefinition, FieldDefinition, IdentifierKind, ListQuery, MemoryStore, OnDelete, Repository, Scope, Statement,
    Store, StoreError, Transaction, Version,
};

#[derive(Clone, Debug)]
enum Step {
    Insert(Item),
    Update(Item, Expected),
    Delete(i64, u8, Expected),
    Begin,
    Commit,
    Rollback,
}

/// An entity: tenant, code, serial and owner.
type Item = (i64, u8, Option<i64>, Option<u8>);

/// The expected version: any version, the version of the entity, or another one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    Any,
    Current,
    Stale,
}

/// The entities by tenant and code, with the unique serial, the owner in the same tenant, and the version.
type Model = BTreeMap<(i64, u8), (Option<i64>, Option<u8>, Version)>;

#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    NotFound,
    Stale,
    Conflict(&'static str),
    Missing,
    Referenced,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tenant = || 0..2_i64;
    let code = || 0..5_u8;
    let item = || (tenant(), code(), proptest::option::of(0..4_i64), proptest::option::of(code()));
    let expected = || prop_oneof![Just(Expected::Any), Just(Expected::Current), Just(Expected::Stale)];
    let step = prop_oneof![
        6 => item().prop_map(Step::Insert),
        4 => (item(), expected()).prop_map(|(item, expected)| Step::Update(item, expected)),
        4 => (tenant(), code(), expected()).prop_map(|(tenant, code, expected)| Step::Delete(tenant, code, expected)),
        1 => Just(Step::Begin),
        1 => any::<bool>().prop_map(|commits| if commits { Step::Commit } else { Step::Rollback }),
    ];
    proptest::collection::vec(step, 1..60)
}

#[test]
fn a_memory_store_behaves_like_a_map() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let config = Config { cases: 256, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&steps(), |steps| runtime.block_on(run(steps)));
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

async fn run(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let definition = EntityDefinition::new("items", "code", IdentifierKind::Given(ValueType::Text))
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope())
        .field(FieldDefinition::new("serial", ValueType::Integer).nullable().unique())
        .field(FieldDefinition::new("category", ValueType::Text).nullable().references("items", OnDelete::Restrict));
    let store = MemoryStore::new();
    let mut committed = Model::new();
    let mut open: Option<(Transaction, Model)> = None;
    for step in steps {
        match step {
            Step::Begin => open = Some((store.begin().await.unwrap(), committed.clone())),
            Step::Rollback => open = None,
            Step::Commit => {
                if let Some((transaction, model)) = open.take() {
                    store.commit(transaction).await.unwrap();
                    committed = model;
                }
            }
            step => {
                let (actual, expected) = match &mut open {
                    Some((transaction, model)) => {
                        change(
                            &store,
                            |tenant| Statement::new(&definition).scoped(tenant).within(transaction),
                            model,
                            &step,
                        )
                        .await
                    }
                    None => {
                        change(&store, |tenant| Statement::new(&definition).scoped(tenant), &mut committed, &step).await
                    }
                };
                assert_eq!(actual, expected, "{step:?}");
                // A transaction ends with its first failure.
                if actual != Outcome::Done {
                    open = None;
                }
            }
        }
        // Uncommitted changes are invisible.
        assert_eq!(listed(&store, &definition).await, expected_list(&committed));
    }
    Ok(())
}

/// Executes a step on the store and on the model, and returns both results.
async fn change<'s>(
    store: &MemoryStore,
    statement: impl FnOnce(&'s Scope) -> Statement<'s>,
    model: &mut Model,
    step: &Step,
) -> (Outcome, Outcome) {
    let tenant = match step {
        Step::Insert(item) | Step::Update(item, _) => item.0,
        Step::Delete(tenant, ..) => *tenant,
        Step::Begin | Step::Commit | Step::Rollback => unreachable!("these are no statements"),
    };
    let statement = statement(scope(tenant));
    let version = |expected, key: &(i64, u8)| {
        let current = model.get(key).map_or(Version::new(-1), |(.., version)| *version);
        match expected {
            Expected::Any => None,
            Expected::Current => Some(current),
            Expected::Stale => Some(Version::new(current.number() - 1)),
        }
    };
    let (actual, version) = match step {
        Step::Insert(item) => split(store.insert(statement, specimen(item)).await.map(|inserted| inserted.version)),
        Step::Update(item, expected) => {
            let version = version(*expected, &(item.0, item.1));
            split(store.update(statement, specimen(item), version).await.map(|updated| updated.version))
        }
        Step::Delete(tenant, code, expected) => {
            let version = version(*expected, &(*tenant, *code));
            let deleted = Repository::delete(store, statement, &code.to_string().into(), version).await;
            split(deleted.map(|()| Version::new(0)))
        }
        Step::Begin | Step::Commit | Step::Rollback => unreachable!("these are no statements"),
    };
    (actual, in_model(model, step, version))
}

/// Executes a step on the model.
fn in_model(model: &mut Model, step: &Step, version: Version) -> Outcome {
    match *step {
        Step::Insert((tenant, code, serial, owner)) => {
            if model.contains_key(&(tenant, code)) {
                return Outcome::Conflict("code");
            }
            put(model, (tenant, code, serial, owner), version)
        }
        Step::Update((tenant, code, serial, owner), expected) => match model.get(&(tenant, code)) {
            None => Outcome::NotFound,
            Some(_) if expected == Expected::Stale => Outcome::Stale,
            Some(_) => put(model, (tenant, code, serial, owner), version),
        },
        Step::Delete(tenant, code, expected) => {
            let refers = |((of, other), (_, owner, _)): (&(i64, u8), &(_, Option<u8>, _))| {
                *of == tenant && *other != code && *owner == Some(code)
            };
            match model.get(&(tenant, code)) {
                None => Outcome::NotFound,
                Some(_) if expected == Expected::Stale => Outcome::Stale,
                Some(_) if model.iter().any(refers) => Outcome::Referenced,
                Some(_) => {
                    model.remove(&(tenant, code));
                    Outcome::Done
                }
            }
        }
        Step::Begin | Step::Commit | Step::Rollback => Outcome::Done,
    }
}

fn put(model: &mut Model, (tenant, code, serial, owner): Item, version: Version) -> Outcome {
    let mut others = model.iter().filter(|((of, other), _)| *of == tenant && *other != code);
    if serial.is_some() && others.any(|(_, (taken, ..))| *taken == serial) {
        return Outcome::Conflict("serial");
    }
    if owner.is_some_and(|owner| owner != code && !model.contains_key(&(tenant, owner))) {
        return Outcome::Missing;
    }
    model.insert((tenant, code), (serial, owner, version));
    Outcome::Done
}

fn scope(tenant: i64) -> &'static Scope {
    static SCOPES: std::sync::OnceLock<[Scope; 2]> = std::sync::OnceLock::new();
    &SCOPES.get_or_init(|| [0, 1].map(|tenant| Scope::new().with("tenant", tenant)))[usize::try_from(tenant).unwrap()]
}

fn specimen((tenant, code, serial, owner): &Item) -> Specimen {
    let mut specimen = Specimen::default();
    (specimen.tenant, specimen.code, specimen.serial) = (*tenant, code.to_string(), *serial);
    specimen.category = owner.map(|owner| owner.to_string());
    specimen
}

fn split(outcome: Result<Version, StoreError>) -> (Outcome, Version) {
    let outcome = match outcome {
        Ok(version) => return (Outcome::Done, version),
        Err(StoreError::NotFound) => Outcome::NotFound,
        Err(StoreError::StaleVersion) => Outcome::Stale,
        Err(StoreError::Conflict { fields }) if fields == ["code"] => Outcome::Conflict("code"),
        Err(StoreError::Conflict { fields }) if fields == ["serial"] => Outcome::Conflict("serial"),
        Err(StoreError::MissingReference { field }) if field == "category" => Outcome::Missing,
        Err(StoreError::Referenced { by }) if by == "items" => Outcome::Referenced,
        Err(other) => panic!("{other}"),
    };
    (outcome, Version::new(0))
}

/// The items of tenant 1 with a serial of at least 1, by serial and code, with their versions.
async fn listed(store: &MemoryStore, definition: &EntityDefinition) -> Vec<(Option<i64>, String, Version)> {
    let filter = Expression::condition("serial", Comparison::Gte(1.into()));
    let fields = SortFields::by_identifier("code").field("serial");
    let order = SortBag::among(&fields, [("serial", Direction::Ascending)]).unwrap();
    let all = Offset::new(0, 100).unwrap();
    let statement = Statement::new(definition).scoped(scope(1));
    let listed = store.list(statement, &ListQuery::new(filter, &order, &all)).await.unwrap();
    listed
        .items
        .into_iter()
        .map(|item: restwright_resource::Versioned<Specimen>| (item.entity.serial, item.entity.code, item.version))
        .collect()
}

fn expected_list(model: &Model) -> Vec<(Option<i64>, String, Version)> {
    let items = model.iter().filter(|((tenant, _), (serial, ..))| *tenant == 1 && *serial >= Some(1));
    let mut items: Vec<_> =
        items.map(|((_, code), (serial, _, version))| (*serial, code.to_string(), *version)).collect();
    items.sort();
    items
}
