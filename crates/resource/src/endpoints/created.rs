//! The response to the creation of an entity.

use std::fmt;

use restwright_core::body::WriteBody;
use restwright_core::http::header::LOCATION;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::route::Template;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Location, OperationPaths, Response, Result};
use restwright_list::Value;

use super::any_entity::AnyEntity;
use super::info::resource_of;
use super::view::{View, describe};

/// A 201 response: the entity in an envelope, and its path below that of the request in `Location`.
///
/// The path is that of no operation, since an application may view entities by a controller of its own.
pub(super) struct CreatedEntity(pub(super) Box<dyn AnyEntity>);

pub(super) struct CreatedPlan {
    body: SchemaObject,
    paths: OperationPaths,
    /// The path parameters beside the identifier, which are those of the request.
    parameters: Vec<String>,
    identifier: String,
}

impl Response for CreatedEntity {
    type Plan = CreatedPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CreatedPlan, BuildErrors> {
        let item = Template::parse(&format!("{}/{{id}}", context.template()))?;
        let paths = OperationPaths::default();
        paths.complete([("view", &item)].into_iter());
        let parameters = context.template().parameters().map(str::to_owned).collect();
        let identifier = resource_of(context)?.definition.identifier().to_owned();
        Ok(CreatedPlan { body: <View as WriteBody>::plan(context)?, paths, parameters, identifier })
    }

    fn describe(plan: &CreatedPlan, operation: &mut Operation) {
        let response = describe(operation, StatusCode::CREATED);
        let location = HeaderObject::new("Location", SchemaUse::output(SchemaObject::string()));
        response.add_header(location.description("The path of the new resource."));
        <View as WriteBody>::describe(&plan.body, response);
    }

    fn respond(self, plan: &CreatedPlan, request: &HttpRequest) -> Result<HttpResponse> {
        let location = Location::to("view").with("id", Segment(&self.0.value(&plan.identifier)));
        let location = plan.parameters.iter().fold(location, |location, name| {
            location.with(name.clone(), request.path_parameter(name).unwrap_or_default())
        });
        let mut response = HttpResponse::new(StatusCode::CREATED);
        response.insert_header(LOCATION, plan.paths.resolve(&location)?);
        View(self.0).write(&plan.body, &mut response)?;
        Ok(response)
    }
}

/// An identifier as a path has it.
struct Segment<'v>(&'v Value<'v>);

impl fmt::Display for Segment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Boolean(value) => value.fmt(formatter),
            Value::Integer(value) => value.fmt(formatter),
            Value::Number(value) => value.fmt(formatter),
            Value::Text(value) => value.fmt(formatter),
            Value::Date(value) => value.fmt(formatter),
            Value::DateTime(value) => value.fmt(formatter),
            Value::Uuid(value) => value.fmt(formatter),
            _ => Ok(()),
        }
    }
}
