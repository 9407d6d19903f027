//! Limits of one name: they share their buckets on all routes of an Api, and so have to be one limit.

use std::fmt;
use std::sync::Arc;

use restwright_core::operation::Operation;
use restwright_core::{BuildErrors, Configuration};

use super::Quota;

/// What a limit counts by and what its buckets hold, where that is known before any request. A strategy of the application's
/// own decides both for each request.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Declared {
    by: String,
    quota: Quota,
}

/// The limits of an Api, each with the first operation that has it.
#[derive(Clone, Default)]
struct Known(Vec<(Arc<str>, Declared, String)>);

impl Declared {
    pub(super) fn new(by: impl Into<String>, quota: Quota) -> Self {
        Self { by: by.into(), quota }
    }

    /// Whether it admits anybody, and is as the limit of the same name on an earlier operation.
    pub(super) fn check(
        &self,
        name: &Arc<str>,
        operation: &Operation,
        configuration: &mut Configuration,
    ) -> Result<(), BuildErrors> {
        if self.quota.limit() == 0 {
            return Err(BuildErrors::one(format!(
                "the rate limit `{name}` has a quota of 0 requests, which refuses everybody; admit at least 1, or leave the limit out"
            )));
        }
        let known = configuration.get::<Known>();
        let earlier = known.and_then(|known| known.0.iter().find(|(known, ..)| known == name));
        match earlier {
            Some((_, declared, _)) if declared == self => Ok(()),
            Some((_, declared, place)) => Err(BuildErrors::one(format!(
                "the rate limit `{name}` is {self} here and {declared} on {place}; limits of one name share their buckets, so declare both alike, or give one of them another name"
            ))),
            None => {
                let mut known = known.cloned().unwrap_or_default();
                known.0.push((name.clone(), self.clone(), format!("{} {}", operation.method, operation.path)));
                configuration.insert(known);
                Ok(())
            }
        }
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, quota } = self;
        write!(formatter, "{} requests {by}, one more every {:?},", quota.limit(), quota.interval())
    }
}
