//! The source of randomness: a list of numbers that proptest generates, and shrinks when a test fails.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Decisions, made one after another. At the end of the list, each decision is the first alternative.
pub struct Choices<'c> {
    rest: &'c [u16],
}

impl Choices<'_> {
    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        usize::from(*first) % bound
    }

    /// Returns `true` once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub fn pick<'a, T>(&mut self, alternatives: &'a [T]) -> &'a T {
        &alternatives[self.below(alternatives.len())]
    }
}

/// Runs a test with the decisions for a declaration and for a JSON string, 200 times unless `RESTWRIGHT_CASES` is set.
/// The gate sets it to 10,000.
pub fn run(name: &str, test: impl Fn(&mut Choices<'_>, &mut Choices<'_>) -> Result<(), String>) {
    run_cases(name, 200, test);
}

/// Runs a test as [`run`] does, `cases` times unless `RESTWRIGHT_CASES` is set.
pub fn run_cases(name: &str, cases: u32, test: impl Fn(&mut Choices<'_>, &mut Choices<'_>) -> Result<(), String>) {
    let seed = setting("RESTWRIGHT_SEED").unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap();
        since.as_secs() ^ u64::from(since.subsec_nanos())
    });
    let cases = setting("RESTWRIGHT_CASES").map_or(cases, |cases| u32::try_from(cases).unwrap());
    println!("{name}: {cases} cases, RESTWRIGHT_SEED={seed}");

    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let decisions = (vec(any::<u16>(), 0..120), vec(any::<u16>(), 0..250));
    let result = runner.run(&decisions, |(shape, text)| {
        test(&mut Choices { rest: &shape }, &mut Choices { rest: &text }).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{name}: RESTWRIGHT_SEED={seed}: {error}");
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}
