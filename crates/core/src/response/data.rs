//! Defines the 200 response that contains a value in the member `data`.

use http::StatusCode;
use restwright_schema::{
    Checks, Property, PropertyCollection, Registry, Schema, SchemaObject, SchemaType, typed_schema,
};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::{Response, describe_by_route};
use crate::body::WriteBody;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::Operation;
use crate::problem::Result;

/// A 200 response that contains a value in the member `data` of a JSON object.
///
/// In documents, its description is the summary of the route. Its schema is named after the value, such as `DataPet`
/// for `Data<Pet>`. As the `#[body]` of a derived response, it is only the body. The derived response sets the status
/// and the headers.
///
/// ```
/// use restwright_core::{Data, Route};
///
/// let count = Route::get("/count").id("count").public().handler(async |_: ()| Ok(Data(7)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Data<T>(pub T);

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut envelope = serializer.serialize_struct("Data", 1)?;
        envelope.serialize_field("data", &self.0)?;
        envelope.end()
    }
}

impl<T: Schema> Schema for Data<T> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        // The property is always written, as null if there is no value.
        let data = SchemaObject::from(typed_schema::<T>(registry));
        let name = format!("Data{}", data.label());
        registry
            .define::<Self, _>(name.clone(), |_| PropertyCollection::new(name).property(Property::new("data", data)))
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("data", &self.0);
    }
}

impl<T: Schema + Serialize + 'static> Response for Data<T> {
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        <Self as WriteBody>::plan(context)
    }

    fn describe(plan: &SchemaObject, operation: &mut Operation) {
        <Self as WriteBody>::describe(plan, describe_by_route(operation, StatusCode::OK));
    }

    fn respond(self, plan: &SchemaObject, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::OK);
        self.write(plan, &mut response)?;
        Ok(response)
    }
}
