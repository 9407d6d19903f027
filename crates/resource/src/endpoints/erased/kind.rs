//! Defines [`Kind`], a trait that reads requests and rows with the types of a resource.

use std::borrow::Cow;
use std::marker::PhantomData;

use restwright_core::body::JsonPlan;
use restwright_core::operation::{Operation, ParameterLocation, SchemaUse};
use restwright_core::part::{ParameterPlan, ParameterValue};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    CompiledSchema, Property, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaSide, SchemaType,
    Violations, typed_schema,
};
use restwright_core::{BuildContext, BuildErrors, Part, RequestHead, Result, Route};
use restwright_list::{Expression, FieldValue, Filters, Sort, SortBag, SortFields, SortPlan};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::any_entity::{AnyBody, AnyEntity, AnyIdentifier, typed};
use crate::endpoints::Resource;
use crate::row::{Row, RowError};
use crate::store::{CheckRow, check_row};

/// Reads requests and rows with the types of a resource, and returns its schemas. Endpoints use the trait as a trait object.
pub(in crate::endpoints) trait Kind: Send + Sync {
    /// Returns the name of the resource's type.
    fn type_name(&self) -> &'static str;

    /// Returns `true` if the entities contain the field.
    fn has_field(&self, field: &str) -> bool;

    /// Returns one of the schemas, and `true` if a request without the value is valid.
    fn schema(&self, shape: Shape, registry: &mut Registry) -> (SchemaObject, bool);

    /// Prepares the endpoint to read the identifier from the path. Runs while the Api is built.
    fn plan_identifier(
        &self,
        context: &mut BuildContext<'_>,
        description: String,
    ) -> Result<Box<dyn IdentifierPlan>, BuildErrors>;

    /// Checks that a string is a valid identifier of the resource.
    fn check_identifier(&self, text: &str, context: &mut BuildContext<'_>) -> Result<(), Violations>;

    fn create(&self, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>>;

    fn read_new(&self) -> ReadJson;

    fn read_update(&self) -> ReadJson;

    /// Prepares the endpoint to read the filters of a list. Runs while the Api is built.
    fn plan_filters(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ReadsFilters>, BuildErrors>;

    /// Prepares the endpoint to read the order of a list. Runs while the Api is built.
    fn plan_sort(&self, context: &mut BuildContext<'_>) -> Result<SortPlan, BuildErrors>;

    /// Returns the fields that lists can be sorted by.
    fn sort_fields(&self, route: &Route) -> Result<SortFields, BuildErrors>;

    /// Converts a row to an entity of the resource's type.
    fn read(&self, row: &mut Row) -> Result<Box<dyn AnyEntity>, RowError>;

    /// Returns the function that checks whether the resource's type can contain a row.
    fn check_row(&self) -> CheckRow;
}

/// Selects a schema of a resource, such as the schema of its create requests.
#[derive(Clone, Copy)]
pub(in crate::endpoints) enum Shape {
    Whole,
    New,
    Update,
    View,
    Item,
}

/// A function that reads a request body and checks it against a schema. It reports at most the given number of violations.
pub(in crate::endpoints) type ReadJson = fn(&CompiledSchema, &[u8], usize) -> Result<SplitBody, ReadError>;

/// A request body, and the members of its JSON that the sender may not change.
pub(in crate::endpoints) type SplitBody = (Box<dyn AnyBody>, Map<String, Value>);

pub(in crate::endpoints) trait IdentifierPlan: Send + Sync {
    fn describe(&self, operation: &mut Operation);
    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyIdentifier>>;
}

/// A trait object that reads the filters of a list.
pub(in crate::endpoints) trait ReadsFilters: Send + Sync {
    fn describe(&self, operation: &mut Operation);

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression>;
}

/// Reads batch requests for one type of resource. The code is compiled only for resources with a batch.
pub(in crate::endpoints) trait Batch: Send + Sync {
    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors>;

    fn read(&self, shape: &CompiledSchema, json: &[u8], limit: usize) -> Result<Vec<Box<dyn AnyBody>>, ReadError>;

    /// Returns the property of an item that contains the identifier.
    fn identifier(&self, registry: &mut Registry) -> Property;

    /// Reads an identifier from its text in a path.
    fn read_identifier(
        &self,
        shape: &CompiledSchema,
        text: &str,
        limit: usize,
    ) -> Result<Box<dyn AnyIdentifier>, Violations>;
}

impl dyn Kind + '_ {
    pub(in crate::endpoints) fn schema_type(&self, shape: Shape, registry: &mut Registry) -> SchemaType {
        self.schema(shape, registry).0.schema_type().clone()
    }

    /// Compiles the schema of a request body.
    pub(in crate::endpoints) fn plan_body(&self, shape: Shape, context: &mut BuildContext<'_>) -> JsonPlan {
        let (schema, is_optional) = self.schema(shape, context.registry());
        let plan = JsonPlan::new(SchemaUse::input(schema), context);
        if is_optional { plan.optional() } else { plan }
    }

    /// Returns the schema of a response body with one entity, or with several entities if `is_several` is set.
    pub(in crate::endpoints) fn data_schema(&self, is_several: bool, registry: &mut Registry) -> SchemaObject {
        let (view, _) = self.schema(Shape::View, registry);
        let data = if is_several { SchemaObject::array(view) } else { view };
        let envelope = PropertyCollection::new(format!("Data{}", data.label())).property(Property::new("data", data));
        SchemaObject::new(registry.define_collection(&envelope))
    }
}

/// Implements [`Kind`] with the types of the resource `R`.
pub(in crate::endpoints) struct Types<R>(PhantomData<fn() -> R>);

impl<R: Resource> Types<R> {
    pub(in crate::endpoints) const KIND: &'static dyn Kind = &Self(PhantomData);
    pub(in crate::endpoints) const BATCH: &'static dyn Batch = &Self(PhantomData);
}

impl<R: Resource> Kind for Types<R> {
    fn type_name(&self) -> &'static str {
        std::any::type_name::<R>()
    }

    fn has_field(&self, field: &str) -> bool {
        R::has_field(field)
    }

    fn schema(&self, shape: Shape, registry: &mut Registry) -> (SchemaObject, bool) {
        match shape {
            Shape::Whole => schema::<R>(registry),
            Shape::New => schema::<R::New>(registry),
            Shape::Update => schema::<R::Update>(registry),
            Shape::View => schema::<R::View>(registry),
            Shape::Item => schema::<R::Item>(registry),
        }
    }

    fn plan_identifier(
        &self,
        context: &mut BuildContext<'_>,
        description: String,
    ) -> Result<Box<dyn IdentifierPlan>, BuildErrors> {
        plan_identifier::<R::Id>(context, description)
    }

    fn check_identifier(&self, text: &str, context: &mut BuildContext<'_>) -> Result<(), Violations> {
        check_identifier::<R::Id>(text, context)
    }

    fn create(&self, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>> {
        Ok(Box::new(R::create(*typed(new)?)))
    }

    fn read_new(&self) -> ReadJson {
        read::<R::New>
    }

    fn read_update(&self) -> ReadJson {
        read::<R::Update>
    }

    fn plan_filters(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ReadsFilters>, BuildErrors> {
        Ok(Box::new(FilterReader::<R::Filters>(R::Filters::plan(context)?)))
    }

    fn plan_sort(&self, context: &mut BuildContext<'_>) -> Result<SortPlan, BuildErrors> {
        SortBag::<R::Sort>::plan(context)
    }

    fn sort_fields(&self, route: &Route) -> Result<SortFields, BuildErrors> {
        R::Sort::declare(route)
    }

    fn read(&self, row: &mut Row) -> Result<Box<dyn AnyEntity>, RowError> {
        Ok(Box::new(R::from_row(row)?))
    }

    fn check_row(&self) -> CheckRow {
        check_row::<R>
    }
}

fn schema<T: Schema>(registry: &mut Registry) -> (SchemaObject, bool) {
    (typed_schema::<T>(registry).into(), T::OPTIONAL)
}

fn read<B: Schema + DeserializeOwned + Clone + 'static>(
    shape: &CompiledSchema,
    json: &[u8],
    limit: usize,
) -> Result<SplitBody, ReadError> {
    let (body, apart) = shape.read_apart::<B>(json, limit)?;
    Ok((Box::new(body), apart))
}

fn plan_identifier<I: ParameterValue + FieldValue + 'static>(
    context: &mut BuildContext<'_>,
    description: String,
) -> Result<Box<dyn IdentifierPlan>, BuildErrors> {
    let property = Property::from(I::property(context.registry(), "id")).description(description);
    Ok(Box::new(context.parameter::<I>(ParameterLocation::Path, property)?))
}

fn check_identifier<I: ParameterValue>(text: &str, context: &mut BuildContext<'_>) -> Result<(), Violations> {
    let property = Property::from(I::property(context.registry(), "id"));
    let shape = context.registry().compile_property(&property, SchemaSide::Input, None);
    I::read(&shape, &[Cow::Borrowed(text)], 1).map(drop)
}

impl<I: ParameterValue + FieldValue + 'static> IdentifierPlan for ParameterPlan<I> {
    fn describe(&self, operation: &mut Operation) {
        ParameterPlan::describe(self, operation);
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyIdentifier>> {
        Some(Box::new(ParameterPlan::read(self, head, violations)?))
    }
}

struct FilterReader<F: Filters + Part>(F::Plan);

impl<F: Filters + Part> ReadsFilters for FilterReader<F> {
    fn describe(&self, operation: &mut Operation) {
        F::describe(&self.0, operation);
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression> {
        F::read_expression(&self.0, head, violations)
    }
}
