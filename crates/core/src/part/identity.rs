//! Implements [`Part`] for [`Identity`] and [`Caller`], so a request type can have a field for the caller.

use super::{Part, RequestHead};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::identity::{Caller, Identity};
use crate::operation::Operation;
use crate::problem::RequestViolations;

/// Implements [`Part`], so a request type can have a field for the identity of the caller. On a public route the caller
/// is a guest.
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

/// Implements [`Part`], so a request type can have a field for the authenticated caller. If a middleware makes the
/// caller a guest, the response is a 500.
impl Part for Caller {
    type Plan = ();

    fn plan(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if !context.admits_guests() {
            return Ok(());
        }
        Err(BuildErrors::one(
            "the request has a `Caller`, but the route admits guests; require credentials with `.authorize(scheme, scopes)`, or use `Identity`, which can be a guest",
        ))
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Self::from_identity(head.request().identity().into_owned())
    }
}
