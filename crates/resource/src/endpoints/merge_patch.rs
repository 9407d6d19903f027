//! The body of a partial update.

use restwright_core::body::{JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::http::header::CONTENT_TYPE;
use restwright_core::operation::{MediaTypeObject, Operation};
use restwright_core::part::RequestHead;
use restwright_core::problem::{RequestViolations, catalogue};
use restwright_core::schema::Schema;
use restwright_core::{BuildContext, BuildErrors, Problem, Result};
use serde::de::DeserializeOwned;

/// Changes as a JSON merge patch (RFC 7396).
pub(super) struct MergePatch<C>(pub(super) C);

const MEDIA_TYPES: [&str; 2] = ["application/merge-patch+json", "application/json"];

impl<C: Schema + DeserializeOwned> ReadBody for MergePatch<C> {
    type Plan = JsonPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        <C as ReadBody>::plan(context)
    }

    fn describe(plan: &JsonPlan, operation: &mut Operation) {
        <C as ReadBody>::describe(plan, operation);
        let Some(body) = &mut operation.request_body else { return };
        let schema = body.content.iter().find_map(|content| content.schema.clone());
        body.content = MEDIA_TYPES
            .map(|name| {
                let content = MediaTypeObject::new(name);
                schema.iter().cloned().fold(content, MediaTypeObject::schema)
            })
            .into();
    }

    async fn read(
        plan: &JsonPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        // Other JSON, such as a JSON Patch (RFC 6902), would be read as what it is not.
        if head.request().header(&CONTENT_TYPE).is_some_and(|content_type| !is_merge_patch(content_type)) {
            return Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE).detail(
                "The body has to be a JSON merge patch (RFC 7396): send `Content-Type: application/merge-patch+json`.",
            ));
        }
        Ok(<C as ReadBody>::read(plan, head, body, violations).await?.map(Self))
    }
}

fn is_merge_patch(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    MEDIA_TYPES.iter().any(|name| essence.eq_ignore_ascii_case(name))
}
