//! Defines [`View`], the response with one entity. The body is `{"data": ..}`.

use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{MediaTypeObject, Operation, ResponseObject, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Result};

use super::shown::Unmasked;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::member_changes::MemberChanges;

/// A 200 response that contains one entity as clients see it. The body is `{"data": ..}`.
pub(in crate::endpoints) struct View(pub(in crate::endpoints) Box<dyn AnyEntity>);

impl View {
    /// Adds the schema of the body to the OpenAPI response.
    pub(super) fn describe_body(schema: &SchemaObject, response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::json(SchemaUse::output(schema).stored()));
    }
}

impl Unmasked for View {
    /// The schema of the body.
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        Ok(resource_of(context)?.kind.data_schema(false, context.registry()))
    }

    fn describe(schema: &SchemaObject, operation: &mut Operation) {
        Self::describe_body(schema, describe(operation, StatusCode::OK));
    }

    fn respond(self, _: &SchemaObject, _: &HttpRequest, changes: Option<MemberChanges>) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        self.0.respond(changes.as_ref(), &mut response)?;
        Ok(response)
    }
}

/// Returns the response with the given status from an OpenAPI operation. Sets the description of the response to the summary of the
/// operation.
pub(super) fn describe(operation: &mut Operation, status: StatusCode) -> &mut ResponseObject {
    let summary = operation.summary.clone();
    let response = operation.response(status);
    response.description = summary;
    response
}
