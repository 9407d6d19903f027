//! Implements [`Request`] for `()`, a request type without parts or a body.

use super::{Reader, Request};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::Operation;
use crate::problem::Result;

impl Request for () {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    async fn read((): &(), _: &mut Reader<'_>) -> Result<Option<()>> {
        Ok(Some(()))
    }
}
