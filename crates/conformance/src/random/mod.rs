//! Runs random steps on a store and on [`MemoryStore`]. Both stores must return the same entities, orders, totals and errors.
//!
//! A case is a list of steps. If a case fails, steps are removed while the case still fails.

mod choices;
mod steps;
mod world;

use std::time::{Duration, Instant};

use restwright_resource::{EntityDefinition, MemoryStore, Store};

use self::steps::{RandomStep, StepGenerator};
use self::world::World;
use super::{CaseResult, CaseResults};

/// The number of cases per kind of random test if the environment variable `RESTWRIGHT_CASES` is not set.
const CASES: u64 = 15;

/// The number of steps in a case.
const LENGTH: usize = 150;

/// The time limit for removing unnecessary steps from a failed case.
const SHRINKING: Duration = Duration::from_secs(20);

/// The entity definitions for the random steps, and the features that the store supports.
pub(super) struct TestPlan {
    definitions: Vec<EntityDefinition>,
    has_references: bool,
    has_existence: bool,
}

/// A kind of random test, which determines how steps use transactions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RandomTestKind {
    /// Runs single statements without transactions.
    Statements,
    /// Runs transactions one after another.
    Transactions,
    /// Runs transactions, and runs some reads outside of the open transaction.
    Concurrent,
}

impl TestPlan {
    pub(super) fn new(has_references: bool, has_existence: bool, has_deleted: bool) -> Self {
        let mut definitions = super::definitions();
        definitions.retain(|definition| has_deleted || !keeps_deleted(definition));
        Self { definitions, has_references, has_existence }
    }

    fn get(&self, name: &str) -> Option<&EntityDefinition> {
        self.definitions.iter().find(|definition| definition.name() == name)
    }

    /// Returns the definition of the entity that a field references. A reference contains identifiers of its target.
    /// The identifier field contains identifiers of `definition`. Returns `None` for any other field.
    fn identified<'p>(&'p self, definition: &'p EntityDefinition, field: &str) -> Option<&'p EntityDefinition> {
        if definition.identifier() == field {
            return Some(definition);
        }
        let (target, _) = definition.get(field)?.reference()?;
        self.get(target)
    }

    /// Runs the cases of one kind of random test.
    pub(super) async fn run<S: Store>(
        &self,
        part: RandomTestKind,
        make_store: &impl AsyncFn() -> S,
        cases: &mut CaseResults,
    ) {
        let name = match part {
            RandomTestKind::Statements => "statements",
            RandomTestKind::Transactions => "transactions",
            RandomTestKind::Concurrent => "reads_during_a_transaction",
        };
        cases.run("random steps", name, self.cases(part, make_store)).await;
    }

    async fn cases<S: Store>(&self, part: RandomTestKind, make_store: &impl AsyncFn() -> S) -> CaseResult {
        let seed = setting("RESTWRIGHT_SEED").unwrap_or_else(random_seed);
        for case in 0..setting("RESTWRIGHT_CASES").unwrap_or(CASES) {
            let steps = StepGenerator::new(self, part, seed ^ (case << 32)).make(LENGTH);
            if let Some((at, _)) = self.difference(make_store, &steps).await {
                let steps = steps.into_iter().take(at + 1).collect();
                return Err(format!("RESTWRIGHT_SEED={seed}: {}", self.shortened(make_store, steps).await));
            }
        }
        Ok(())
    }

    /// Runs the steps on a new store and on a [`MemoryStore`], and compares the results. Returns the index of the first step with different
    /// results, and a description of both results.
    async fn difference<S: Store>(
        &self,
        make_store: &impl AsyncFn() -> S,
        steps: &[RandomStep],
    ) -> Option<(usize, String)> {
        let memory = MemoryStore::new();
        for definition in &self.definitions {
            if let Err(error) = memory.declare(definition) {
                return Some((0, error.to_string()));
            }
        }
        let (mut model, mut store) = (World::new(self, memory), World::new(self, make_store().await));
        for (index, step) in steps.iter().enumerate() {
            let (expected, found) = (model.take(step).await, store.take(step).await);
            if expected != found {
                return Some((index, format!("in memory {expected:?}, in the store {found:?}")));
            }
        }
        None
    }

    /// Removes steps from a failed case while the store and the memory store still return different results. Returns a report of the
    /// remaining steps.
    async fn shortened<S: Store>(&self, make_store: &impl AsyncFn() -> S, mut steps: Vec<RandomStep>) -> String {
        let begun = Instant::now();
        let mut size = steps.len();
        while size > 0 {
            let mut at = 0;
            while at < steps.len() && begun.elapsed() < SHRINKING {
                let end = steps.len().min(at + size);
                let fewer: Vec<_> = steps.iter().take(at).chain(steps.iter().skip(end)).cloned().collect();
                match self.difference(make_store, &fewer).await {
                    Some((last, _)) => steps = fewer.into_iter().take(last + 1).collect(),
                    None => at = end,
                }
            }
            size /= 2;
        }
        let outcomes = self.difference(make_store, &steps).await.map(|(_, outcomes)| outcomes);
        let steps = steps.iter().map(|step| {
            let definition = step.kind().and_then(|kind| self.definitions.get(kind));
            format!("  {} {step:?}", definition.map_or("", EntityDefinition::name))
        });
        let steps: Vec<_> = steps.collect();
        format!(
            "after these steps {}\n{}",
            outcomes.unwrap_or_else(|| "the results no longer differ".to_owned()),
            steps.join("\n")
        )
    }
}

/// Returns `true` if deleted entities of the definition stay in the store, or if the definition refers to such entities.
fn keeps_deleted(definition: &EntityDefinition) -> bool {
    let mut targets = definition.fields().filter_map(|field| Some(field.reference()?.0));
    definition.deletion_field().is_some() || targets.any(|target| target == "suite_tickets")
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn random_seed() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    since.as_secs() ^ u64::from(since.subsec_nanos())
}
