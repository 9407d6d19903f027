//! The response to a create.

use restwright_core::body::WriteBody;
use restwright_core::http::header::LOCATION;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::route::Template;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Data, Location, OperationPaths, Response, Result};
use restwright_list::Value;

use crate::resource::Resource;

/// A 201 response: the entity in an envelope, and its path below that of the request in `Location`.
///
/// The path is that of no operation, since an application may view entities by a controller of its own.
pub(super) struct CreatedEntity<R>(pub(super) R);

pub(super) struct CreatedPlan {
    body: SchemaObject,
    paths: OperationPaths,
    identifier: String,
}

impl<R: Resource> Response for CreatedEntity<R> {
    type Plan = CreatedPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CreatedPlan, BuildErrors> {
        let item = Template::parse(&format!("{}/{{id}}", context.template()))?;
        let paths = OperationPaths::default();
        paths.complete([("view", &item)].into_iter());
        let identifier = R::definition().identifier().to_owned();
        Ok(CreatedPlan { body: <Data<R> as WriteBody>::plan(context)?, paths, identifier })
    }

    fn describe(plan: &CreatedPlan, operation: &mut Operation) {
        let summary = operation.summary.clone();
        let response = operation.response(StatusCode::CREATED);
        response.description = summary;
        let location = HeaderObject::new("Location", SchemaUse::output(SchemaObject::string()));
        response.add_header(location.description("The path of the new resource."));
        <Data<R> as WriteBody>::describe(&plan.body, response);
    }

    fn respond(self, plan: &CreatedPlan, _: &HttpRequest) -> Result<HttpResponse> {
        let location = Location::to("view").with("id", text(&self.0.value(&plan.identifier)));
        let mut response = HttpResponse::new(StatusCode::CREATED);
        response.headers_mut().insert(LOCATION, plan.paths.resolve(&location)?);
        Data(self.0).write(&plan.body, &mut response)?;
        Ok(response)
    }
}

/// Returns an identifier as a path has it.
fn text(identifier: &Value<'_>) -> String {
    match identifier {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(value) => value.to_string(),
        Value::Date(value) => value.to_string(),
        Value::DateTime(value) => value.to_string(),
        Value::Uuid(value) => value.to_string(),
        _ => String::new(),
    }
}
