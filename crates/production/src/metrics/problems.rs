//! Counts the problems in responses for the metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use restwright_runtime::core::http::HttpResponse;

/// The number of problems by code and reason. The reason is the translation key of the detail, such as
/// `unauthenticated.required`.
#[derive(Debug, Default)]
pub(super) struct Problems(Mutex<BTreeMap<ProblemKey, u64>>);

type ProblemKey = (Box<str>, &'static str);

/// The maximum number of codes with reasons. Further problems are counted with the code `_OTHER`.
const MOST: usize = 500;

impl Problems {
    /// Counts the problem in a response. Does nothing if the response is not a problem.
    pub(super) fn count(&self, response: &HttpResponse) {
        let Some(code) = response.code() else { return };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Box::from(code), response.reason_key().unwrap_or_default());
        let is_known = counts.len() < MOST || counts.contains_key(&key);
        let key = if is_known { key } else { (Box::from("_OTHER"), "") };
        *counts.entry(key).or_default() += 1;
    }

    /// Returns each code and reason with its number of problems.
    pub(super) fn all(&self) -> Vec<(ProblemKey, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(key, count)| (key.clone(), *count)).collect()
    }
}
