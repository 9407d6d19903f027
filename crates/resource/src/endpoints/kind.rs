//! Defines [`Kind`], a trait that reads requests and writes responses with the types of a resource.

use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::rc::Rc;

use restwright_core::body::{JsonPlan, ReadBody, WriteBody};
use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::part::{ParameterPlan, ParameterValue};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{
    CompiledSchema, Property, ReadError, Registry, Schema, SchemaObject, SchemaSide, SchemaType, Violations,
};
use restwright_core::{BuildContext, BuildErrors, Data, Part, RequestHead, Response, Result};
use restwright_list::{
    AddedFilters, Expression, FieldValue, Filters, ListSlice, Pagination, SortBag, SortPlan, Uncounted, Window,
};
use serde::de::DeserializeOwned;

use super::Resource;
use super::any_entity::{AnyBody, AnyEntity, AnyIdentifier, Found, typed};
use super::batch::Batch;
use super::item::{Item, Listed};
use super::member_changes::MemberChanges;
use super::page::ListedPage;
use super::pagination::ResourcePagination;
use super::presenter::returned;
use crate::entity::Versioned;
use crate::row::Row;
use crate::store::{CheckRow, RelatedValue, StoreError, check_row, entity};

/// Reads requests and writes responses with the types of a resource. Endpoints use the trait as a trait object.
pub(super) trait Kind: Send + Sync {
    /// Returns `true` if the entities contain the field.
    fn has_field(&self, field: &str) -> bool;

    fn schema_type(&self, shape: Shape, registry: &mut Registry) -> SchemaType;

    /// Prepares the endpoint to read the identifier from the path. Runs while the Api is built.
    fn plan_identifier(
        &self,
        context: &mut BuildContext<'_>,
        description: String,
    ) -> Result<Box<dyn IdentifierPlan>, BuildErrors>;

    /// Checks that a string is a valid identifier of the resource.
    fn check_identifier(&self, text: &str, context: &mut BuildContext<'_>) -> Result<(), Violations>;

    fn create(&self, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>>;

    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors>;

    fn plan_update(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors>;

    fn read_new(&self) -> ReadJson;

    fn read_update(&self) -> ReadJson;

    /// Prepares the endpoint to read the filters, the sort order and the pagination of a list. Runs while the Api is built.
    fn plan_list(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ListPlan>, BuildErrors>;

    /// Converts a row to an entity of the resource's type.
    fn read_row(&self, found: Versioned<Row>) -> Result<Found, StoreError>;

    /// Converts the rows of a list to a `ListSlice` of the resource's type.
    fn read_list(&self, rows: ListSlice<Versioned<Row>, Uncounted>) -> Result<Box<dyn Any>, StoreError>;

    /// Converts rows to a `Vec` of the resource's type.
    fn read_rows(&self, rows: Vec<Versioned<Row>>) -> Result<Box<dyn Any>, StoreError>;

    /// Returns the function that checks whether the resource's type can contain a row.
    fn check_row(&self) -> CheckRow;

    /// Returns `true` if the list has cursors.
    fn has_cursors(&self) -> bool;

    /// Returns the default sort order of a list, or `None` if the list is declared at run time.
    fn default_order(&self) -> Option<SortBag>;

    /// Returns the entities that a type-erased value contains. The value is one entity, a `Vec` or a list of the resource's type.
    fn entities<'e>(&self, entities: &'e mut (dyn Any + 'static)) -> Result<Vec<&'e dyn AnyEntity>>;

    /// Returns the schema of a response body with one entity.
    fn plan_view(&self, context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors>;

    /// Prepares the endpoint to write the response to a list. Runs while the Api is built.
    fn plan_page(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn PagePlan>, BuildErrors>;
}

/// Selects a schema of a resource, such as the schema of its create requests.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Whole,
    New,
    Update,
    View,
    Item,
}

/// A function that reads a request body and checks it against a schema. It reports at most the given number of violations.
pub(super) type ReadJson = fn(&CompiledSchema, &[u8], usize) -> Result<Box<dyn AnyBody>, ReadError>;

pub(super) trait IdentifierPlan: Send + Sync {
    fn describe(&self, operation: &mut Operation);
    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Box<dyn AnyIdentifier>>;
}

pub(super) trait ListPlan: Send + Sync {
    fn describe(&self, operation: &mut Operation);

    /// Reads only the filters.
    fn read_filter(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression>;

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<ListRequest>;
}

/// The filter, the sort order, the pagination and the search value of a list request.
pub(super) struct ListRequest {
    pub(super) filter: Expression,
    pub(super) order: SortBag,
    pub(super) page: Box<dyn AnyPage>,
    /// The value of the query parameter `q`, which searches in the list.
    pub(super) search: Option<String>,
    /// The values of related entities that the order names.
    pub(super) related: Vec<RelatedValue>,
}

/// The pagination of a list request, as a trait object.
pub(super) trait AnyPage: Any {
    fn window(&self) -> Window<'_>;
    fn is_counted(&self) -> bool;
}

pub(super) trait PagePlan: Send + Sync {
    fn describe(&self, operation: &mut Operation);

    /// Writes the response to a list. `listed` contains the page, and the entities in the resource's type.
    fn respond(
        &self,
        listed: ListedPage,
        request: &HttpRequest,
        changes: Option<MemberChanges>,
    ) -> Result<HttpResponse>;
}

/// Implements [`Kind`] with the types of the resource `R`.
pub(super) struct Types<R>(PhantomData<fn() -> R>);

impl<R: Resource> Types<R> {
    pub(super) const KIND: &'static dyn Kind = &Self(PhantomData);
    pub(super) const BATCH: &'static dyn Batch = &Self(PhantomData);
}

impl<R: Resource> Kind for Types<R> {
    fn has_field(&self, field: &str) -> bool {
        R::has_field(field)
    }

    fn schema_type(&self, shape: Shape, registry: &mut Registry) -> SchemaType {
        match shape {
            Shape::Whole => R::schema_type(registry),
            Shape::New => R::New::schema_type(registry),
            Shape::Update => R::Update::schema_type(registry),
            Shape::View => R::View::schema_type(registry),
            Shape::Item => R::Item::schema_type(registry),
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

    fn plan_new(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        <R::New as ReadBody>::plan(context)
    }

    fn plan_update(&self, context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        <R::Update as ReadBody>::plan(context)
    }

    fn read_new(&self) -> ReadJson {
        read::<R::New>
    }

    fn read_update(&self) -> ReadJson {
        read::<R::Update>
    }

    fn plan_list(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn ListPlan>, BuildErrors> {
        let mut errors = BuildErrors::new();
        let filters = errors.take(R::Filters::plan(context));
        let sort = errors.take(SortBag::<R::Sort>::plan(context));
        let page = errors.take(R::Pagination::plan(context));
        let (Some(filters), Some(sort), Some(page)) = (filters, sort, page) else { return Err(errors) };
        Ok(Box::new(PlannedList::<R> { filters, sort, page }))
    }

    fn read_row(&self, found: Versioned<Row>) -> Result<Found, StoreError> {
        let Versioned { entity, version } = entity::<R>(found)?;
        Ok(Versioned::new(Box::new(entity), version))
    }

    fn read_list(&self, rows: ListSlice<Versioned<Row>, Uncounted>) -> Result<Box<dyn Any>, StoreError> {
        Ok(Box::new(rows.try_map(|row| Ok::<_, StoreError>(entity::<R>(row)?.entity))?))
    }

    fn read_rows(&self, rows: Vec<Versioned<Row>>) -> Result<Box<dyn Any>, StoreError> {
        let entities: Result<Vec<R>, StoreError> = rows.into_iter().map(|row| Ok(entity::<R>(row)?.entity)).collect();
        Ok(Box::new(entities?))
    }

    fn check_row(&self) -> CheckRow {
        check_row::<R>
    }

    fn has_cursors(&self) -> bool {
        R::Pagination::HAS_CURSORS
    }

    fn default_order(&self) -> Option<SortBag> {
        SortBag::<R::Sort>::by([]).map(|order| order.by_name())
    }

    fn entities<'e>(&self, entities: &'e mut (dyn Any + 'static)) -> Result<Vec<&'e dyn AnyEntity>> {
        Ok(returned::<R>(entities)?.iter().map(|entity| entity as &dyn AnyEntity).collect())
    }

    fn plan_view(&self, context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        <Data<R::View> as WriteBody>::plan(context)
    }

    fn plan_page(&self, context: &mut BuildContext<'_>) -> Result<Box<dyn PagePlan>, BuildErrors> {
        Ok(Box::new(PlannedPage::<R>(PageResponse::<R>::plan(context)?)))
    }
}

fn read<B: Schema + DeserializeOwned + Clone + 'static>(
    shape: &CompiledSchema,
    json: &[u8],
    limit: usize,
) -> Result<Box<dyn AnyBody>, ReadError> {
    Ok(Box::new(shape.read::<B>(json, limit)?))
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

struct PlannedList<R: Resource> {
    filters: <R::Filters as Part>::Plan,
    sort: SortPlan,
    page: <R::Pagination as Part>::Plan,
}

impl<R: Resource> ListPlan for PlannedList<R> {
    fn describe(&self, operation: &mut Operation) {
        R::Filters::describe(&self.filters, operation);
        SortBag::<R::Sort>::describe(&self.sort, operation);
        R::Pagination::describe(&self.page, operation);
    }

    fn read_filter(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression> {
        R::Filters::read(&self.filters, head, violations).map(|filters| filters.expression())
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<ListRequest> {
        let filters = R::Filters::read(&self.filters, head, violations);
        // The order may contain fields of related entities, which the type of the order does not have.
        let order = self.sort.read(head, violations);
        let page = R::Pagination::read(&self.page, head, violations);
        let (filter, page) = (filters?.expression(), Box::new(page?));
        Some(ListRequest { filter, order: order?, page, search: None, related: Vec::new() })
    }
}

/// A list that can also be filtered by fields of related entities.
pub(super) struct RelatedList {
    pub(super) list: Box<dyn ListPlan>,
    pub(super) added: AddedFilters,
}

impl RelatedList {
    fn conditions(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression> {
        Some(Expression::All(self.added.read(head, violations)?.into_iter().map(Expression::from).collect()))
    }
}

impl ListPlan for RelatedList {
    fn describe(&self, operation: &mut Operation) {
        self.list.describe(operation);
    }

    fn read_filter(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression> {
        let filter = self.list.read_filter(head, violations)?;
        Some(filter.and(self.conditions(head, violations)?))
    }

    fn read(&self, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<ListRequest> {
        let list = self.list.read(head, violations)?;
        let filter = list.filter.and(self.conditions(head, violations)?);
        Some(ListRequest { filter, ..list })
    }
}

impl<P: ResourcePagination> AnyPage for P {
    fn window(&self) -> Window<'_> {
        Pagination::window(self)
    }

    fn is_counted(&self) -> bool {
        P::COUNTED
    }
}

type PageResponse<R> = <<R as Resource>::Pagination as ResourcePagination>::Response<Item<R>>;

struct PlannedPage<R: Resource>(<PageResponse<R> as Response>::Plan);

impl<R: Resource> PagePlan for PlannedPage<R> {
    fn describe(&self, operation: &mut Operation) {
        PageResponse::<R>::describe(&self.0, operation);
    }

    fn respond(
        &self,
        ListedPage { page, listed, total }: ListedPage,
        request: &HttpRequest,
        changes: Option<MemberChanges>,
    ) -> Result<HttpResponse> {
        let (page, listed) = (typed::<R::Pagination>(page)?, typed::<ListSlice<R, Uncounted>>(listed)?);
        let changes = changes.map(Rc::new);
        let mut indexes = 0..;
        let listed = listed.map(|entity| Listed { entity, changes: changes.clone().zip(indexes.next()) });
        page.respond::<Listed<R>, Item<R>>(listed, total).respond(&self.0, request)
    }
}
