//! Defines [`LimitState`], the state of a rate limit after a request.

use std::sync::Arc;
use std::time::Duration;

use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::rate_limit::{BucketState, Charge, Quota};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead};

use crate::verdict::LimitProgress;

/// The state of a rate limit after it has counted a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitState {
    name: Arc<str>,
    quota: Quota,
    bucket: BucketState,
}

impl LimitState {
    pub(super) fn new(charge: &Charge<'_>, bucket: BucketState) -> Self {
        Self { name: charge.limit().into(), quota: charge.quota(), bucket }
    }

    /// Returns the name of the rate limit.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the quota that the request was counted against.
    #[must_use]
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// Returns the number of requests that the limit still admits now, if each request has a cost of 1.
    #[must_use]
    pub fn remaining(&self) -> u32 {
        self.bucket.remaining()
    }

    /// Returns the time until the bucket of the limit is full again. The limit then admits a whole burst.
    #[must_use]
    pub fn until_full(&self) -> Duration {
        self.bucket.until_full()
    }

    pub(super) fn tightest(self, other: Self) -> Self {
        if self.bucket.tightest(other.bucket) == self.bucket { self } else { other }
    }
}

/// A request part that contains the state of the tightest rate limit, which has the fewest remaining requests. It is
/// `None` if no limit counted the request.
///
/// It adds nothing to the OpenAPI document.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/tightest_limit.md"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TightestLimit(pub Option<LimitState>);

/// `true` if the controller of the operation reads a [`TightestLimit`] part. Parts are planned before middlewares.
#[derive(Default)]
pub(super) struct TightestLimitIsRead(pub(super) bool);

impl Part for TightestLimit {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        context.operation_state::<TightestLimitIsRead>().0 = true;
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(Self(LimitProgress::from_request(head.request()).tightest))
    }
}
