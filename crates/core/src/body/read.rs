//! Defines [`ReadBody`], the trait for request bodies.

use std::future::Future;

use super::BodyFormat;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::IncomingBody;
use crate::operation::Operation;
use crate::part::RequestHead;
use crate::problem::{RequestViolations, Result};

/// A type that can be read from a request body. Types with a schema are read as JSON. [`RawBody`](super::RawBody) and
/// [`StreamedBody`](super::StreamedBody) accept bytes of any media type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from the body of a request",
    label = "not a body",
    note = "to read it as JSON, derive `serde::Deserialize` and `Schema` for it and for the types it contains",
    note = "`RawBody` and `StreamedBody` accept bytes of any media type"
)]
pub trait ReadBody: Sized {
    /// The state that is computed once per route, when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the [`Plan`](Self::Plan) for one route when the Api is built.
    ///
    /// # Errors
    /// Errors in the declaration. Building the Api then fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Computes the [`Plan`](Self::Plan) for a body in several formats, as in `#[body(json, form)]`. JSON is a format if
    /// `is_json` is `true`.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan). It also fails if the type has no schema.
    fn plan_in(
        is_json: bool,
        formats: &[&'static dyn BodyFormat],
        context: &mut BuildContext<'_>,
    ) -> Result<Self::Plan, BuildErrors> {
        let _ = (is_json, formats, context);
        Err(BuildErrors::one(
            "a body that is not read by its schema has no formats; write `#[body]` without them, or use a type with a schema",
        ))
    }

    /// Adds the body to the OpenAPI operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads the body of a request. If the value is invalid, adds its violations to `violations` and returns `None`.
    ///
    /// # Errors
    /// The problems of a body that cannot be read: 400, 408, 413, 415.
    fn read(
        plan: &Self::Plan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> impl Future<Output = Result<Option<Self>>>;
}
