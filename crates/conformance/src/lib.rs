//! A test suite for stores. All built-in stores pass it, and custom stores must pass it too.
//!
//! Add this crate to the dev-dependencies of a custom store, and run the suite in a test. [`store_conformance`] runs the whole suite.
//! [`Conformance::without`] omits the tests of a feature that the store lacks.
//!
//! Some 60 cases have fixed expected results. Random steps then run on the store and on [`MemoryStore`](restwright_resource::MemoryStore). Both
//! stores must return the same results. If they differ, the error lists the shortest found sequence of steps that leads to the difference.
//!
//! The environment variable `RESTWRIGHT_SEED` repeats the random steps of a run, and the error contains its value. `RESTWRIGHT_CASES` sets the number
//! of random cases of each part, 15 by default.
//!
//! Each case runs in one task. A store with locks must not block forever: a statement or a second transaction that waits for an open one must fail
//! with [`StoreError::Unavailable`](restwright_resource::StoreError::Unavailable). Reads must never wait for a transaction.

mod pinned;
mod random;
mod specimen;
mod table;

use std::fmt;
use std::future::Future;

pub use specimen::{Specimen, definitions};

use restwright_resource::Store;

use random::{RandomTestKind, TestPlan};

/// Runs every case of the suite and returns the names of all cases. Each case uses a new, empty store or separate entities.
///
/// A store with tables creates the tables of [`definitions`]. All of them contain [`Specimen`]s.
///
/// ```
/// use restwright_conformance::store_conformance;
/// use restwright_resource::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cases = store_conformance(async || MemoryStore::new()).await.unwrap();
/// assert!(cases.len() >= 40);
/// # }
/// ```
///
/// # Errors
/// All failed cases, each with its name and the reason.
pub async fn store_conformance<S: Store>(make_store: impl AsyncFn() -> S) -> Result<Vec<String>, FailedCases> {
    Conformance::new().run(make_store).await
}

/// A group of test cases that a store can skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Topic {
    /// Test cases for transactions. Leave this topic out if the store does not support [`Store::begin`].
    Transactions,
    /// Test cases for references and cascading deletes. Leave this topic out if the store supports neither.
    References,
    /// Test cases for entities that stay in the store after a delete. Leave this topic out if the store does not support a definition with
    /// a [deletion field](restwright_resource::EntityDefinition::deletion_field).
    DeletedEntities,
    /// Test cases for [`Read::Exists`](restwright_resource::Read::Exists) and [`Read::Any`](restwright_resource::Read::Any), which check parents and policies.
    /// Leave this topic out if the store implements neither.
    Existence,
}

/// The conformance suite for stores. [`without`](Self::without) removes the topics that a store does not support.
///
/// ```
/// use restwright_conformance::{Conformance, Topic};
/// # use restwright_resource::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let suite = Conformance::new().without(Topic::Transactions).without(Topic::References);
/// suite.run(async || MemoryStore::new()).await.unwrap();
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a suite does nothing until it is run"]
pub struct Conformance {
    left_out: Vec<Topic>,
}

impl Conformance {
    /// Creates a conformance suite that includes all topics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes a topic from the conformance suite.
    pub fn without(mut self, topic: Topic) -> Self {
        self.left_out.push(topic);
        self
    }

    /// Runs the conformance suite on a store and returns the names of the test cases.
    ///
    /// # Errors
    /// All failed cases, each with its name and the reason.
    pub async fn run<S: Store>(&self, make_store: impl AsyncFn() -> S) -> Result<Vec<String>, FailedCases> {
        let has = |topic| !self.left_out.contains(&topic);
        let mut cases = CaseResults::default();
        pinned::run(has, &make_store, &mut cases).await;
        let random = TestPlan::new(has(Topic::References), has(Topic::Existence), has(Topic::DeletedEntities));
        random.run(RandomTestKind::Statements, &make_store, &mut cases).await;
        if has(Topic::Transactions) {
            random.run(RandomTestKind::Transactions, &make_store, &mut cases).await;
            random.run(RandomTestKind::Concurrent, &make_store, &mut cases).await;
        }
        if cases.failures.is_empty() { Ok(cases.names) } else { Err(FailedCases { failures: cases.failures }) }
    }
}

/// The error that lists the failed test cases of a store. `Debug` prints the same list as `Display`.
pub struct FailedCases {
    failures: Vec<(String, String)>,
}

impl FailedCases {
    /// Returns the name of each failed test case and the reason for the failure.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.failures.iter().map(|(name, reason)| (name.as_str(), reason.as_str()))
    }
}

impl fmt::Display for FailedCases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} cases failed:", self.failures.len())?;
        self.iter().try_for_each(|(name, reason)| write!(formatter, "\n- {name}: {reason}"))
    }
}

impl fmt::Debug for FailedCases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for FailedCases {}

/// The result of one test case. The error is the reason of the failure.
type CaseResult = Result<(), String>;

/// The names of the test cases that have run, and the failures.
#[derive(Default)]
struct CaseResults {
    names: Vec<String>,
    failures: Vec<(String, String)>,
}

impl CaseResults {
    /// Runs one test case and records its result.
    async fn run(&mut self, topic: &str, name: &str, case: impl Future<Output = CaseResult>) {
        let name = format!("{topic}: {}", name.replace('_', " "));
        if let Err(reason) = case.await {
            self.failures.push((name.clone(), reason));
        }
        self.names.push(name);
    }
}

/// Runs each function as a test case with the name of the function. Each function receives a new store.
macro_rules! cases {
    ($topic:literal; $($case:ident),+ $(,)?) => {
        pub(crate) async fn run<S: restwright_resource::Store>(
            make_store: &impl AsyncFn() -> S,
            cases: &mut $crate::CaseResults,
        ) {
            $(
                let store = make_store().await;
                cases.run($topic, stringify!($case), $case(&store)).await;
            )+
        }
    };
}
use cases;

/// Returns an error unless two values are equal.
#[expect(clippy::needless_pass_by_value, reason = "both are made for the comparison")]
fn equal<T: PartialEq + fmt::Debug>(actual: T, expected: T) -> CaseResult {
    if actual == expected { Ok(()) } else { Err(format!("{} instead of {}", shown(&actual), shown(&expected))) }
}

/// Returns an error with the given reason unless a condition is true.
fn ensure(holds: bool, reason: &str) -> CaseResult {
    if holds { Ok(()) } else { Err(reason.to_owned()) }
}

/// Formats a value for a report, with at most 400 characters.
fn shown(value: &impl fmt::Debug) -> String {
    let text = format!("{value:?}");
    if text.chars().count() <= 400 { text } else { text.chars().take(400).chain("..".chars()).collect() }
}
