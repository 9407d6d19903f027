//! Implements [`Part`] for values of the Api: its clock and its stop signal.

use super::{Part, RequestHead};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::clock::Clock;
use crate::operation::Operation;
use crate::problem::RequestViolations;
use crate::stop_signal::StopSignal;

impl Part for StopSignal {
    type Plan = Self;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        Ok(context.stop_signal())
    }

    fn describe(_: &Self, _: &mut Operation) {}

    fn read(plan: &Self, _: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(plan.clone())
    }
}

impl Part for Clock {
    type Plan = Self;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self, BuildErrors> {
        Ok(context.clock().clone())
    }

    fn describe(_: &Self, _: &mut Operation) {}

    fn read(plan: &Self, _: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(plan.clone())
    }
}
