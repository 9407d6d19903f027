//! Five endpoints from one declared type, with one schema per mode.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use restwright_core::body::{JsonPlan, write_json};
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{MediaTypeObject, Operation, ParameterLocation, SchemaUse};
use restwright_core::part::ParameterPlan;
use restwright_core::schema::{CompiledSchema, Mode, PropertyCollection, Schema, typed, typed_schema};
use restwright_core::{BuildContext, BuildErrors, Controller, Problem, Reader, Request, Response, Result, Route};
use restwright_runtime::{ApiBuilder, Module};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::list::{ListSlice, Page};

/// The declaration from which the five endpoints are created.
pub(crate) trait Resource: Schema + Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    const PATH: &'static str;
}

/// The rows: JSON objects by their identifier.
type Rows = Arc<Mutex<BTreeMap<i64, Map<String, Value>>>>;

/// The endpoints of a resource as a module.
pub(crate) struct Endpoints<R>(PhantomData<R>);

impl<R: Resource> Endpoints<R> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Resource> Module for Endpoints<R> {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let rows = Rows::default();
        api.controller(List::<R>(rows.clone(), PhantomData))
            .controller(Create::<R>(rows.clone(), PhantomData))
            .controller(View::<R>(rows.clone(), PhantomData))
            .controller(Update::<R>(rows.clone(), PhantomData))
            .controller(Delete::<R>(rows, PhantomData))
    }
}

struct List<R>(Rows, PhantomData<fn() -> R>);
struct Create<R>(Rows, PhantomData<fn() -> R>);
struct View<R>(Rows, PhantomData<fn() -> R>);
struct Update<R>(Rows, PhantomData<fn() -> R>);
struct Delete<R>(Rows, PhantomData<fn() -> R>);

impl<R: Resource> Controller for List<R> {
    type Request = ListRequest;
    type Response = ListSlice<R>;

    fn route(&self) -> Route {
        Route::get(R::PATH).public()
    }

    async fn handle(&self, request: ListRequest) -> Result<ListSlice<R>> {
        let rows: Vec<R> = self.0.lock().unwrap().values().map(|row| read(row.clone())).collect::<Result<_>>()?;
        Ok(request.0.of(&rows))
    }
}

impl<R: Resource> Controller for Create<R> {
    type Request = Written<R, ForCreate>;
    type Response = Shown<R, Created>;

    fn route(&self) -> Route {
        Route::post(R::PATH).public()
    }

    async fn handle(&self, request: Self::Request) -> Result<Self::Response> {
        let mut rows = self.0.lock().unwrap();
        let id = rows.keys().last().unwrap_or(&0) + 1;
        let mut row = request.values;
        row.insert("id".into(), id.into());
        rows.insert(id, row.clone());
        Ok(Shown::new(row))
    }
}

impl<R: Resource> Controller for View<R> {
    type Request = Addressed;
    type Response = Shown<R, Viewed>;

    fn route(&self) -> Route {
        Route::get(format!("{}/{{id}}", R::PATH)).public()
    }

    async fn handle(&self, request: Addressed) -> Result<Self::Response> {
        let row = self.0.lock().unwrap().get(&request.0).cloned();
        row.map(Shown::new).ok_or_else(|| Problem::not_found("No such row."))
    }
}

impl<R: Resource> Controller for Update<R> {
    type Request = Written<R, ForUpdate>;
    type Response = Shown<R, Viewed>;

    fn route(&self) -> Route {
        Route::patch(format!("{}/{{id}}", R::PATH)).public()
    }

    async fn handle(&self, request: Self::Request) -> Result<Self::Response> {
        let mut rows = self.0.lock().unwrap();
        let row = request.id.and_then(|id| rows.get_mut(&id)).ok_or_else(|| Problem::not_found("No such row."))?;
        row.extend(request.values);
        Ok(Shown::new(row.clone()))
    }
}

impl<R: Resource> Controller for Delete<R> {
    type Request = Addressed;
    type Response = Gone;

    fn route(&self) -> Route {
        Route::delete(format!("{}/{{id}}", R::PATH)).public()
    }

    async fn handle(&self, request: Addressed) -> Result<Gone> {
        self.0.lock().unwrap().remove(&request.0).map(|_| Gone).ok_or_else(|| Problem::not_found("No such row."))
    }
}

fn read<R: Resource>(row: Map<String, Value>) -> Result<R> {
    serde_json::from_value(Value::Object(row)).map_err(Problem::internal)
}

/// A page of the list.
struct ListRequest(Page);

impl Request for ListRequest {
    type Plan = <Page as restwright_core::Part>::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        <Page as restwright_core::Part>::plan(context)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        <Page as restwright_core::Part>::describe(plan, operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.part::<Page>(plan).map(Self))
    }
}

/// A row by its identifier.
struct Addressed(i64);

impl Request for Addressed {
    type Plan = ParameterPlan<i64>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let id = typed::<i64>(context.registry(), "id").minimum(1);
        context.parameter(ParameterLocation::Path, id)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.describe(operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        Ok(reader.parameter(plan).map(Self))
    }
}

/// The mode in which a body is written.
trait Writing: 'static {
    const MODE: Mode;
    const ADDRESSED: bool;
}

struct ForCreate;
struct ForUpdate;

impl Writing for ForCreate {
    const MODE: Mode = Mode::Create;
    const ADDRESSED: bool = false;
}

impl Writing for ForUpdate {
    const MODE: Mode = Mode::Update;
    const ADDRESSED: bool = true;
}

/// A body with the schema of the mode. In an update, every property is optional.
struct Written<R, W> {
    id: Option<i64>,
    values: Map<String, Value>,
    shape: PhantomData<fn() -> (R, W)>,
}

impl<R: Resource, W: Writing> Request for Written<R, W> {
    type Plan = (Option<ParameterPlan<i64>>, JsonPlan);

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let schema = typed_schema::<R>(context.registry()).into_schema();
        let body = if W::ADDRESSED {
            let whole = context.registry().collection(schema.schema_type()).cloned();
            let whole = whole.unwrap_or_else(|| PropertyCollection::new("Empty"));
            let partial = PropertyCollection::new(format!("{}Changes", whole.name()));
            let partial =
                whole.properties().iter().fold(partial, |partial, one| partial.property(one.clone().optional()));
            SchemaUse::input(partial)
        } else {
            SchemaUse::input(schema)
        };
        let body = JsonPlan::new(body.mode(W::MODE), context);
        let id = W::ADDRESSED.then(|| errors.take(Addressed::plan(context)));
        errors.finish(Some((id.flatten(), body)))
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        plan.0.iter().for_each(|id| id.describe(operation));
        plan.1.describe(operation);
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let id = plan.0.as_ref().map(|id| reader.parameter(id));
        let body = reader.json(&plan.1, CompiledSchema::read_value).await?;
        let Some(Value::Object(values)) = body else { return Ok(None) };
        Ok(Some(Self { id: id.flatten(), values, shape: PhantomData }))
    }
}

/// The status with which a row is returned.
trait Showing: 'static {
    const STATUS: StatusCode;
}

struct Created;
struct Viewed;

impl Showing for Created {
    const STATUS: StatusCode = StatusCode::CREATED;
}

impl Showing for Viewed {
    const STATUS: StatusCode = StatusCode::OK;
}

/// A row under `data`, with the schema of the view.
struct Shown<R, S> {
    row: Map<String, Value>,
    shape: PhantomData<fn() -> (R, S)>,
}

impl<R, S> Shown<R, S> {
    fn new(row: Map<String, Value>) -> Self {
        Self { row, shape: PhantomData }
    }
}

impl<R: Resource, S: Showing> Response for Shown<R, S> {
    type Plan = SchemaUse;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaUse, BuildErrors> {
        let row = typed::<R>(context.registry(), "data").into_property();
        let envelope = PropertyCollection::new(format!("{}Envelope", row.schema_type().label())).property(row);
        Ok(SchemaUse::output(envelope).mode(Mode::View))
    }

    fn describe(plan: &SchemaUse, operation: &mut Operation) {
        operation.response(S::STATUS).content.push(MediaTypeObject::json(plan.clone()));
    }

    fn respond(self, _: &SchemaUse, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(S::STATUS);
        write_json(&serde_json::json!({"data": read::<R>(self.row)?}), &mut response)?;
        Ok(response)
    }
}

/// A deleted row.
struct Gone;

impl Response for Gone {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        operation.response(StatusCode::NO_CONTENT);
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    }
}
