//! The caller as a part of a request.

use super::{Part, RequestHead};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::identity::{Caller, Identity};
use crate::operation::Operation;
use crate::problem::RequestViolations;

/// The caller; a guest on a public route.
impl Part for Identity {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(head.request().identity().into_owned())
    }
}

/// The caller of a guarded route. A middleware that makes the caller a guest makes the response a 500.
impl Part for Caller {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if !context.admits_guests() {
            return Ok(());
        }
        Err(BuildErrors::one(
            "the request has a `Caller` and guests reach the route; demand credentials with `.authorize(scheme, scopes)`, or take an `Identity`, which may be a guest's",
        ))
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Self::from_identity(head.request().identity().into_owned())
    }
}
