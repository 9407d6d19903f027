//! Defines the 201 response with a `Location` header.

use http::StatusCode;
use http::header::LOCATION;
use restwright_schema::{Schema, SchemaObject};
use serde::Serialize;

use super::{Data, Response, describe_by_route};
use crate::body::WriteBody;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::location::{Location, OperationPaths};
use crate::operation::{HeaderObject, Operation, SchemaUse};
use crate::problem::Result;

/// A 201 response for a new resource. `Location` contains the path of the resource, and the body contains the resource
/// as `{"data": ..}`.
///
/// The location refers to an operation of the same Api, usually the operation that returns the resource. If the
/// operation does not exist, or a path parameter has no value, the response is a 500 and the cause is logged. In
/// documents, the description of the response is the summary of the route.
///
/// ```
/// use restwright_core::{Created, Location};
///
/// let created = Created::at(Location::to("viewPet").with("id", 7), "Rex");
/// assert_eq!(created.data(), &"Rex");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created<T> {
    location: Location,
    data: Data<T>,
}

impl<T> Created<T> {
    /// Creates the response for a new resource at this location.
    #[must_use]
    pub fn at(location: Location, data: T) -> Self {
        Self { location, data: Data(data) }
    }

    /// Returns the location of the new resource.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the new resource.
    #[must_use]
    pub fn data(&self) -> &T {
        &self.data.0
    }
}

/// The data that [`Created`] prepares at build time. It consists of the schema of the body and the paths of all
/// operations.
#[derive(Debug)]
pub struct CreatedPlan {
    body: SchemaObject,
    paths: OperationPaths,
}

impl<T: Schema + Serialize + 'static> Response for Created<T> {
    type Plan = CreatedPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CreatedPlan, BuildErrors> {
        Ok(CreatedPlan { body: <Data<T> as WriteBody>::plan(context)?, paths: context.operation_paths() })
    }

    fn describe(plan: &CreatedPlan, operation: &mut Operation) {
        let response = describe_by_route(operation, StatusCode::CREATED);
        let location = HeaderObject::new("Location", SchemaUse::output(SchemaObject::string()));
        response.add_header(location.description("The path of the created resource."));
        <Data<T> as WriteBody>::describe(&plan.body, response);
    }

    fn respond(self, plan: &CreatedPlan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::CREATED);
        response.insert_header(LOCATION, plan.paths.resolve(&self.location)?);
        self.data.write(&plan.body, &mut response)?;
        Ok(response)
    }
}
