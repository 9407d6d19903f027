//! Where the randomness comes from: a list of numbers that proptest makes, and shortens when a test fails.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Decisions taken one after another; when the list ends, each is the first of its alternatives.
pub(crate) struct Choices<'c> {
    rest: &'c [u16],
}

impl Choices<'_> {
    /// Below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        usize::from(*first) % bound
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(crate) fn pick<T: Clone>(&mut self, alternatives: &[T]) -> T {
        alternatives[self.below(alternatives.len())].clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Runs a test on decisions: `RESTWRIGHT_SEED` repeats a run, `RESTWRIGHT_CASES` makes it longer or shorter.
pub(crate) fn run(name: &str, cases: u32, test: impl Fn(&mut Choices<'_>) -> Result<(), String>) {
    let seed = setting("RESTWRIGHT_SEED").unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap();
        since.as_secs() ^ u64::from(since.subsec_nanos())
    });
    let cases = setting("RESTWRIGHT_CASES").map_or(cases, |cases| u32::try_from(cases).unwrap());
    println!("{name}: {cases} cases, RESTWRIGHT_SEED={seed}");

    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let result = runner.run(&vec(any::<u16>(), 0..1_000), |decisions| {
        test(&mut Choices { rest: &decisions }).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{name}: RESTWRIGHT_SEED={seed}: {error}");
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}
