//! Operations that create several entities in one request.

use std::any::Any;

use restwright_core::body::{JsonPlan, ReadBody, WriteBody, write_json};
use restwright_core::http::{HttpRequest, HttpResponse, IncomingBody, StatusCode};
use restwright_core::operation::Operation;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    Checks, CompiledSchema, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaType, array,
    typed_schema,
};
use restwright_core::{BuildContext, BuildErrors, Data, RequestHead, Result};
use serde::Deserialize;

use super::Resource;
use super::any_entity::{AnyBody, AnyEntity, typed};
use super::barred::BodyGuards;
use super::info::resource_of;
use super::kind::{Shape, Types};
use super::members::Place;
use super::plain_text::{self, check_texts};
use super::shown::Unmasked;
use super::view::{View, describe};

/// The maximum number of entities in a batch.
const MAX_ITEMS: usize = 100;

/// The request body of a batch, whose member `data` contains the new entities.
#[derive(Deserialize)]
struct NewBatch<N> {
    data: Vec<N>,
}

impl<N: Schema> Schema for NewBatch<N> {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        let name = format!("{}Batch", N::schema_type(registry).label());
        registry.define::<Self, _>(name.clone(), |registry| {
            let item = SchemaObject::from(typed_schema::<N>(registry));
            PropertyCollection::new(name)
                .closed()
                .property(array("data", item).description("The entities to create.").min_items(1).max_items(MAX_ITEMS))
        })
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        checks.property("data", &self.data);
    }
}

/// Reads batch requests and writes batch responses for one type of resource. The code is compiled only for resources with a batch.
pub(super) trait Batch: Send + Sync {
    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors>;

    fn read(&self, shape: &CompiledSchema, json: &[u8], limit: usize) -> Result<Vec<Box<dyn AnyBody>>, ReadError>;

    fn plan_views(&self, context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors>;

    /// Converts type-erased entities to a `Vec` of the resource's type. Presenters can then change the entities.
    fn collect(&self, entities: Vec<Box<dyn AnyEntity>>) -> Result<Box<dyn Any>>;

    /// Writes the entities to the member `data` of the response body, as clients see them.
    fn write_views(&self, entities: Box<dyn Any>, response: &mut HttpResponse) -> Result<()>;
}

impl<R: Resource> Batch for Types<R> {
    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        <NewBatch<R::New> as ReadBody>::plan(context)
    }

    fn read(&self, shape: &CompiledSchema, json: &[u8], limit: usize) -> Result<Vec<Box<dyn AnyBody>>, ReadError> {
        let batch: NewBatch<R::New> = shape.read(json, limit)?;
        Ok(batch.data.into_iter().map(|new| Box::new(new) as Box<dyn AnyBody>).collect())
    }

    fn plan_views(&self, context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        <Data<Vec<R::View>> as WriteBody>::plan(context)
    }

    fn collect(&self, entities: Vec<Box<dyn AnyEntity>>) -> Result<Box<dyn Any>> {
        let typed: Result<Vec<R>> = entities.into_iter().map(|entity| Ok(*typed(entity)?)).collect();
        Ok(Box::new(typed?))
    }

    fn write_views(&self, entities: Box<dyn Any>, response: &mut HttpResponse) -> Result<()> {
        let entities: Vec<R> = *typed(entities)?;
        write_json(&Data(entities.into_iter().map(R::View::from).collect::<Vec<_>>()), response)
    }
}

/// The bodies of the new entities in a batch. [`check_texts`] has checked their strings.
pub(super) struct NewEntities(pub(super) Vec<Box<dyn AnyBody>>);

/// A 201 response that contains the created entities in the order of the request.
pub(super) struct CreatedBatch(pub(super) Box<dyn Any>);

pub(super) struct BatchPlan<T> {
    batch: &'static dyn Batch,
    plan: T,
}

impl<T> BatchPlan<T> {
    fn new(
        context: &mut BuildContext<'_>,
        plan: impl FnOnce(&'static dyn Batch, &mut BuildContext<'_>) -> Result<T, BuildErrors>,
    ) -> Result<Self, BuildErrors> {
        let batch = resource_of(context)?.batch.ok_or_else(|| BuildErrors::one("the resource has no batch"))?;
        Ok(Self { batch, plan: plan(batch, context)? })
    }
}

impl ReadBody for NewEntities {
    type Plan = BatchPlan<(JsonPlan, Option<BodyGuards>)>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let guards = BodyGuards::new(resource_of(context)?, Shape::New, Place::Data, context);
        BatchPlan::new(context, |batch, context| Ok((batch.plan_new(context)?, guards)))
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plain_text::describe(&plan.plan.0, operation);
    }

    async fn read(
        plan: &Self::Plan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let (plan_of_json, guards) = &plan.plan;
        let read = |shape: &CompiledSchema, json: &[u8], limit: usize| {
            let read = |json: &[u8], limit: usize| plan.batch.read(shape, json, limit);
            let entities = BodyGuards::read_new(guards.as_ref(), head, json, limit, read)?;
            check_texts(json, limit).map(|()| Self(entities))
        };
        plan_of_json.read(head, body, violations, read).await
    }
}

impl Unmasked for CreatedBatch {
    type Plan = BatchPlan<SchemaObject>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        BatchPlan::new(context, |batch, context| batch.plan_views(context))
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        <View as WriteBody>::describe(&plan.plan, describe(operation, StatusCode::CREATED));
    }

    fn respond(self, plan: &Self::Plan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(StatusCode::CREATED);
        plan.batch.write_views(self.0, &mut response)?;
        Ok(response)
    }
}
