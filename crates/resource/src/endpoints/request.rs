//! The requests of the endpoints.

use std::marker::PhantomData;

use restwright_core::body::ReadBody;
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::{ParameterPlan, ParameterValue};
use restwright_core::problem::RequestViolations;
use restwright_core::{BuildContext, BuildErrors, Part, Reader, Request, RequestHead, Result};
use restwright_list::planned_fields;

use super::names::Names;
use crate::resource::Resource;

/// A request for a resource that consists of a part.
pub(super) struct PartRequest<R, P> {
    pub(super) part: P,
    resource: PhantomData<fn() -> R>,
}

/// A request for a resource that consists of a part and a body.
pub(super) struct BodyRequest<R, P, B> {
    pub(super) part: P,
    pub(super) body: B,
    resource: PhantomData<fn() -> R>,
}

/// Two parts.
pub(super) struct Both<A, B>(pub(super) A, pub(super) B);

/// No part.
pub(super) struct Nothing;

/// The identifier in the path.
pub(super) struct Identifier<R: Resource>(pub(super) R::Id);

impl<R: Resource, P: Part + 'static> Request for PartRequest<R, P> {
    type Plan = P::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<P::Plan, BuildErrors> {
        let plan = P::plan(context)?;
        check::<R>(context).map(|()| plan)
    }

    fn describe(plan: &P::Plan, operation: &mut Operation) {
        P::describe(plan, operation);
    }

    async fn read(plan: &P::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part::<P>(plan).map(|part| Self { part, resource: PhantomData }))
    }
}

impl<R: Resource, P: Part + 'static, B: ReadBody + 'static> Request for BodyRequest<R, P, B> {
    type Plan = (P::Plan, B::Plan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let part = errors.take(P::plan(context));
        errors.take(check::<R>(context));
        let body = errors.take(B::plan(context));
        errors.finish(part.zip(body))
    }

    fn describe((part, body): &Self::Plan, operation: &mut Operation) {
        P::describe(part, operation);
        B::describe(body, operation);
    }

    async fn read((part, body): &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let part = reader.part::<P>(part);
        let body = reader.body::<B>(body).await?;
        Ok(part.zip(body).map(|(part, body)| Self { part, body, resource: PhantomData }))
    }
}

impl<A: Part, B: Part> Part for Both<A, B> {
    type Plan = (A::Plan, B::Plan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let first = errors.take(A::plan(context));
        let second = errors.take(B::plan(context));
        errors.finish(first.zip(second))
    }

    fn describe((first, second): &Self::Plan, operation: &mut Operation) {
        A::describe(first, operation);
        B::describe(second, operation);
    }

    fn read((first, second): &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let first = A::read(first, head, violations);
        let second = B::read(second, head, violations);
        first.zip(second).map(|(first, second)| Self(first, second))
    }
}

impl<R: Resource> Part for Identifier<R> {
    type Plan = ParameterPlan<R::Id>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let id = R::Id::property(context.registry(), "id");
        let description = format!("The identifier of the {}.", Names::new::<R>().singular);
        context.parameter(ParameterLocation::Path, id.description(description))
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
    }

    fn read(plan: &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        plan.read(head, violations).map(Self)
    }
}

impl Part for Nothing {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), _: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(Self)
    }
}

/// Checks the definition of a resource, and that it has the fields by which a list is filtered and sorted.
fn check<R: Resource>(context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
    let definition = R::definition();
    // The same mistakes of several operations are reported once.
    context.api_errors().take(definition.check());
    let mut errors = BuildErrors::new();
    for field in planned_fields(context) {
        if definition.get(&field).is_none() || !R::has_field(&field) {
            errors.push(format!(
                "a filter or the order names the field `{field}`, which stores do not have of `{}`; add it to the definition and to the \
                 record, or let all call it the same",
                definition.name()
            ));
        }
    }
    errors.finish(Some(()))
}
