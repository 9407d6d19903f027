//! Defines [`View`], the response with one entity. The body is `{"data": ..}`.

use restwright_core::body::WriteBody;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{MediaTypeObject, Operation, ResponseObject, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Result};

use super::any_entity::AnyEntity;
use super::info::resource_of;
use super::shown::Unmasked;

/// A 200 response that contains one entity as clients see it. The body is `{"data": ..}`.
pub(super) struct View(pub(super) Box<dyn AnyEntity>);

impl WriteBody for View {
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        resource_of(context)?.kind.plan_view(context)
    }

    fn describe(plan: &SchemaObject, response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::json(SchemaUse::output(plan).stored()));
    }

    fn write(self, _: &SchemaObject, response: &mut HttpResponse) -> Result<()> {
        self.0.write_view(response)
    }
}

impl Unmasked for View {
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        <Self as WriteBody>::plan(context)
    }

    fn describe(plan: &SchemaObject, operation: &mut Operation) {
        <Self as WriteBody>::describe(plan, describe(operation, StatusCode::OK));
    }

    fn respond(self, plan: &SchemaObject, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        self.write(plan, &mut response)?;
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
