//! Defines [`ConcurrencyRegistry`], through which concurrency limits with the same name share one counter.

use std::fmt;
use std::sync::Arc;

use restwright_core::{BuildContext, BuildErrors};

use super::places::RequestPlaces;
use super::reported::ReportedPlaces;
use super::{ConcurrencyLimit, LimitKey};
use crate::key_spec::KeySpec;

/// The counters ([`RequestPlaces`]) of the concurrency limits of an Api, by name.
#[derive(Default)]
pub(super) struct ConcurrencyRegistry {
    known: Vec<RegisteredPlaces>,
    reported: ReportedPlaces,
}

/// The counter of one concurrency limit, with the first operation that declares the limit.
struct RegisteredPlaces {
    name: Arc<str>,
    spec: ConcurrencySpec,
    operation: String,
    places: Arc<RequestPlaces>,
}

/// The settings that must be equal in all concurrency limits with the same name. The key is `None` if a custom function
/// returns it.
#[derive(PartialEq, Eq)]
struct ConcurrencySpec {
    requests: u32,
    key: Option<KeySpec>,
}

impl ConcurrencyRegistry {
    /// Returns the counter ([`RequestPlaces`]) of a concurrency limit. Limits with the same name share the counter.
    ///
    /// # Errors
    /// Fails if the limit admits no requests, or if an earlier limit with the same name differs.
    pub(super) fn places(
        limit: &ConcurrencyLimit,
        context: &mut BuildContext<'_>,
    ) -> Result<Arc<RequestPlaces>, BuildErrors> {
        let ConcurrencyLimit { name, key, requests, .. } = limit;
        if *requests == 0 {
            return Err(BuildErrors::one(format!(
                "the concurrency limit `{name}` allows 0 requests, so it rejects everyone; allow at least 1, or remove the limit"
            )));
        }
        let key = match key {
            Ok(LimitKey::Spec(key)) => Some(key.clone()),
            _ => None,
        };
        let spec = ConcurrencySpec { requests: *requests, key };
        let operation = context.operation();
        let operation = format!("{} {}", operation.method, operation.path);
        let Self { known, reported } = context.build_state();
        let Some(earlier) = known.iter().find(|earlier| earlier.name == *name) else {
            let is_first = known.is_empty();
            let places = Arc::new(RequestPlaces::new(*requests));
            known.push(RegisteredPlaces { name: name.clone(), spec, operation, places: places.clone() });
            reported.push(name.clone(), places.clone());
            if is_first {
                let reported = reported.clone();
                context.component(reported);
            }
            return Ok(places);
        };
        if earlier.spec == spec {
            return Ok(earlier.places.clone());
        }
        let RegisteredPlaces { spec: earlier, operation, .. } = earlier;
        Err(BuildErrors::one(format!(
            "the concurrency limit `{name}` is {spec} here, but {earlier} on {operation}; limits with the same name share their places, so make both equal, or rename one of them"
        )))
    }
}

impl fmt::Display for ConcurrencySpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} concurrent requests ", self.requests)?;
        match &self.key {
            Some(key) => write!(formatter, "{key}"),
            None => formatter.write_str("by a custom key"),
        }
    }
}
