//! The caller as a part of a request.

use super::{Part, RequestHead};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::identity::Identity;
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
