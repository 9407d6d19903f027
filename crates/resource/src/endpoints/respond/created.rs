//! Defines [`CreatedEntity`], the response to a create.

use std::fmt;

use restwright_core::http::header::LOCATION;
use restwright_core::http::{HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::route::Template;
use restwright_core::runtime::PathTemplate;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Problem, Result};
use restwright_list::Value;

use super::shown::Unmasked;
use super::view::{View, describe};
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::AnyEntity;
use crate::endpoints::erased::member_changes::MemberChanges;

/// A 201 response that contains the created entity. The header `Location` contains the path of the request, followed by the identifier.
///
/// The path is not taken from an operation, because an application may serve the entity with a custom controller.
pub(in crate::endpoints) struct CreatedEntity(pub(in crate::endpoints) Box<dyn AnyEntity>);

pub(in crate::endpoints) struct CreatedPlan {
    body: SchemaObject,
    /// The path of the created entity. The last path parameter is the identifier. The other path parameters are the same as in the request.
    path: PathTemplate,
    identifier: String,
}

impl Unmasked for CreatedEntity {
    type Plan = CreatedPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CreatedPlan, BuildErrors> {
        let item = Template::parse(&format!("{}/{{id}}", context.template()))?;
        let path = PathTemplate::new(&item);
        let identifier = resource_of(context)?.definition.identifier().to_owned();
        Ok(CreatedPlan { body: View::plan(context)?, path, identifier })
    }

    fn describe(plan: &CreatedPlan, operation: &mut Operation) {
        let response = describe(operation, StatusCode::CREATED);
        let location = HeaderObject::new("Location", SchemaUse::output(SchemaObject::string()));
        response.add_header(location.description("The path of the created resource."));
        View::describe_body(&plan.body, response);
    }

    fn respond(
        self,
        plan: &CreatedPlan,
        request: &HttpRequest,
        changes: Option<MemberChanges>,
    ) -> Result<HttpResponse> {
        let identifier = Segment(&self.0.value(&plan.identifier)).to_string();
        let path = plan.path.fill(|name| match name {
            "id" => Some(identifier.as_str().into()),
            name => request.path_parameter(name),
        });
        let mut response = HttpResponse::new(StatusCode::CREATED);
        let location = HeaderValue::try_from(path.map_err(Problem::internal)?).map_err(Problem::internal)?;
        response.insert_header(LOCATION, location);
        self.0.respond(changes.as_ref(), &mut response)?;
        Ok(response)
    }
}

/// Formats an identifier as a path segment.
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
            #[cfg(feature = "rust_decimal")]
            Value::Decimal(value) => value.fmt(formatter),
            _ => Ok(()),
        }
    }
}
