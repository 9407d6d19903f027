//! Defines [`WriteBody`], the trait for response bodies.

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpResponse, StatusCode};
use crate::media_type::is_json;
use crate::operation::ResponseObject;
use crate::problem::Result;

/// A type that can be sent as a response body. Types with a schema are written as JSON. [`RawBody`](super::RawBody) and
/// [`StreamingBody`](super::StreamingBody) send bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as the body of a response",
    label = "not a body",
    note = "to write it as JSON, derive `serde::Serialize` and `Schema` for it and for the types it contains",
    note = "`RawBody` and `StreamingBody` send bytes of any media type"
)]
pub trait WriteBody: Sized {
    /// The state that is computed once per route, when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the [`Plan`](Self::Plan) for one route when the Api is built.
    ///
    /// # Errors
    /// Errors in the declaration. Building the Api then fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Computes the [`Plan`](Self::plan) for a route whose response declares the media type `content_type`.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan). It also fails if the body is JSON and the media type is not.
    fn plan_as(content_type: &str, context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let plan = Self::plan(context)?;
        let mut response = ResponseObject::new(StatusCode::OK);
        Self::describe(&plan, &mut response);
        if !is_json(content_type) && response.content.iter().any(|content| is_json(&content.name)) {
            return Err(BuildErrors::one(format!(
                "a response declares `content_type = \"{content_type}\"`, but its body is written as JSON; use a `RawBody` or a \
                 `StreamingBody`, or a media type such as `application/vnd.pets+json`"
            )));
        }
        Ok(plan)
    }

    /// Adds the media type and the schema of the body to the OpenAPI response.
    fn describe(plan: &Self::Plan, response: &mut ResponseObject);

    /// Sets the body and the `Content-Type` of the response.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized.
    fn write(self, plan: &Self::Plan, response: &mut HttpResponse) -> Result<()>;
}
