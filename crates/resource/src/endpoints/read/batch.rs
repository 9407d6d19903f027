//! Operations that create, change or delete several entities in one request.

use restwright_core::body::{JsonPlan, ReadBody};
use restwright_core::http::IncomingBody;
use restwright_core::operation::Operation;
use restwright_core::part::ParameterValue;
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    Checks, CompiledSchema, Property, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaType,
    Violations, array, typed_schema,
};
use restwright_core::{BuildContext, BuildErrors, RequestHead, Result};
use serde::Deserialize;

use super::body_guards::BodyGuards;
use super::plain_text::{self, check_texts};
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::any_entity::{AnyBody, AnyIdentifier};
use crate::endpoints::erased::kind::{Batch, Shape, Types};
use crate::endpoints::{Endpoints, Resource};

impl<R: Resource> Endpoints<R> {
    /// Adds operations on 1 to 100 entities: `POST /animals/batch` creates, `PATCH /animals/batch` updates, and `POST /animals/batch/delete` deletes
    /// them. Each runs in one transaction and has the same access requirements as the operation on one entity.
    ///
    /// The bodies of the requests and the responses are `{"data": [..]}`, in the same order. An item of an update is `{"id": .., "changes": {..}}` with a
    /// JSON merge patch, and an item of a delete is `{"id": ..}`. Both accept the member `if_match` with the `ETag` of the entity, such as `"\"3\""`. With
    /// [`require_preconditions`](Self::require_preconditions), the member is required.
    ///
    /// If one item fails, nothing changes. Violations point into the list, such as `/data/3/changes/name`. An identifier of a missing entity is a 422
    /// with the code `missing_reference`. Two items of one request cannot exchange unique values.
    ///
    /// The store must have transactions. If clients give identifiers, `batch` is not a valid identifier.
    pub fn batch(mut self) -> Self {
        self.declared.info.batch = Some(Types::<R>::BATCH);
        self
    }
}

/// The maximum number of entities in a batch.
pub(super) const MAX_ITEMS: usize = 100;

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

impl<R: Resource> Batch for Types<R> {
    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        <NewBatch<R::New> as ReadBody>::plan(context)
    }

    fn read(&self, shape: &CompiledSchema, json: &[u8], limit: usize) -> Result<Vec<Box<dyn AnyBody>>, ReadError> {
        let batch: NewBatch<R::New> = shape.read(json, limit)?;
        Ok(batch.data.into_iter().map(|new| Box::new(new) as Box<dyn AnyBody>).collect())
    }

    fn identifier(&self, registry: &mut Registry) -> Property {
        R::Id::property(registry, "id").into()
    }

    fn read_identifier(
        &self,
        shape: &CompiledSchema,
        text: &str,
        limit: usize,
    ) -> Result<Box<dyn AnyIdentifier>, Violations> {
        Ok(Box::new(R::Id::read(shape, &[text.into()], limit)?))
    }
}

/// The bodies of the new entities in a batch. [`check_texts`] has checked their strings.
pub(in crate::endpoints) struct NewEntities(pub(in crate::endpoints) Vec<Box<dyn AnyBody>>);

/// A value that was prepared with the types of the resource.
pub(in crate::endpoints) struct BatchPlan<T> {
    batch: &'static dyn Batch,
    plan: T,
}

/// Returns the code that reads and writes the batches of the resource.
pub(super) fn batch_of(context: &BuildContext<'_>) -> Result<&'static dyn Batch, BuildErrors> {
    resource_of(context)?.batch.ok_or_else(|| BuildErrors::one("the resource has no batch"))
}

impl ReadBody for NewEntities {
    type Plan = BatchPlan<(JsonPlan, Option<BodyGuards>)>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let batch = batch_of(context)?;
        let json = batch.plan_new(context)?;
        let guards = BodyGuards::new(resource_of(context)?, Shape::New, Some("data"), &json, context)?;
        Ok(BatchPlan { batch, plan: (json, guards) })
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
        let shape = BodyGuards::of_new(guards.as_ref(), head, plan_of_json)?;
        let read = |_: &CompiledSchema, json: &[u8], limit: usize| {
            let entities = plan.batch.read(&shape, json, limit)?;
            check_texts(json, limit).map(|()| Self(entities))
        };
        plan_of_json.read(head, body, violations, read).await
    }
}
