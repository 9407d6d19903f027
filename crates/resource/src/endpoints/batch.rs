//! The creation of several entities at once.

use restwright_core::body::WriteBody;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::schema::{
    Checks, PropertyCollection, Registry, Schema, SchemaObject, SchemaType, array, typed_schema,
};
use restwright_core::{BuildContext, BuildErrors, Data, Response, Result};
use serde::Deserialize;

use super::created::describe;
use crate::resource::Resource;

/// The largest number of entities in a batch.
const MAX_ITEMS: usize = 100;

/// The body of a batch: `{"data": [..]}`.
#[derive(Deserialize)]
pub(super) struct NewBatch<N> {
    pub(super) data: Vec<N>,
}

impl<N: Schema> Schema for NewBatch<N> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        let name = format!("{}Batch", N::schema_type(registry).label());
        registry.define::<Self, _>(name.clone(), |registry| {
            let item = SchemaObject::from(typed_schema::<N>(registry));
            PropertyCollection::new(name).closed().property(array("data", item).min_items(1).max_items(MAX_ITEMS))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("data", &self.data);
    }
}

/// A 201 response: the entities in an envelope, in the order in which they were sent.
pub(super) struct CreatedBatch<R: Resource>(Vec<R::View>);

impl<R: Resource> CreatedBatch<R> {
    pub(super) fn new(entities: Vec<R>) -> Self {
        Self(entities.into_iter().map(R::View::from).collect())
    }
}

impl<R: Resource> Response for CreatedBatch<R> {
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        <Data<Vec<R::View>> as WriteBody>::plan(context)
    }

    fn describe(plan: &SchemaObject, operation: &mut Operation) {
        <Data<Vec<R::View>> as WriteBody>::describe(plan, describe(operation, StatusCode::CREATED));
    }

    fn respond(self, plan: &SchemaObject, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::CREATED);
        Data(self.0).write(plan, &mut response)?;
        Ok(response)
    }
}
