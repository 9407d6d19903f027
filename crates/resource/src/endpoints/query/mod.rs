//! Defines [`QueryRequest`], the request of the operation `QUERY`, which reads the parameters of a list from a JSON body (RFC 10008).

mod members;

use restwright_core::body::JsonPlan;
use restwright_core::http::{Method, Query};
use restwright_core::operation::{Operation, ParameterLocation, SchemaUse};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{CompiledSchema, Mode, PropertyCollection, SchemaSide, SchemaType};
use restwright_core::{BuildContext, BuildErrors, Part, Reader, Request, RequestHead, Result};
use restwright_list::{Expression, FilterTree};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use self::members::Members;
pub(super) use self::members::text as as_parameter;
use super::call::{Call, CallPlan};
use super::export::{FormatPlan, SelectedFormat};
use super::info::{OperationSettings, resource_of};
use super::list_request::{ListPlan, ListRequest};
use super::request::Both;
use super::search::SearchPlan;
use super::{Endpoints, Resource, request};

/// The maximum size of the body in bytes.
pub(super) const MAX_BODY: usize = 64 * 1024;

/// The path of the operation with the same body and method `POST`, relative to the path of the list.
pub(super) const QUERY_PATH: &str = "/query";

impl<R: Resource> Endpoints<R> {
    /// Adds `POST /animals/query`, which equals `QUERY /animals`, for clients that are generated from OpenAPI 3.0 or 3.1. If clients give
    /// identifiers, `query` is not a valid identifier. A cursor of one operation is not valid for the other.
    pub fn query_by_post(mut self) -> Self {
        self.declared.info.has_query_path = true;
        self
    }
}

/// A list request whose filter, order, includes, search and pagination are in the body.
pub(super) struct QueryRequest {
    pub(super) call: Call,
    pub(super) part: Both<ListRequest, SelectedFormat>,
}

pub(super) struct QueryPlan {
    call: CallPlan,
    search: SearchPlan,
    list: ListPlan,
    format: FormatPlan,
    filter: Option<FilterTree>,
    members: Members,
    /// The documented schema of the body.
    body: JsonPlan,
    /// The schema that reads the body: any JSON without repeated properties. The members are checked one by one, because a field may not exist
    /// for the caller.
    any: CompiledSchema,
}

/// A call without includes, which are in the body.
struct QueryCall(Call);

impl Part for QueryCall {
    type Plan = CallPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<CallPlan, BuildErrors> {
        Call::plan(context)
    }

    fn describe(plan: &CallPlan, operation: &mut Operation) {
        Call::describe(plan, operation);
    }

    fn read(plan: &CallPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self> {
        let (call, is_whole) = plan.read(head, violations);
        (is_whole || call.rejection.is_some()).then_some(Self(call))
    }
}

impl Request for QueryRequest {
    type Plan = QueryPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<QueryPlan, BuildErrors> {
        request::set_shapes(context);
        let planned = Self::plan_members(context);
        report_once(planned, context)
    }

    fn describe(plan: &QueryPlan, operation: &mut Operation) {
        let described = described(&plan.call, &plan.search, &plan.list);
        let elsewhere = |location| location != ParameterLocation::Query;
        operation.parameters.extend(described.parameters.into_iter().filter(|one| elsewhere(one.location)));
        described.problems.into_iter().for_each(|problem| operation.add_problem(problem));
        operation.is_list = true;
        plan.body.describe(operation);
    }

    async fn read(plan: &QueryPlan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let call = reader.part::<QueryCall>(&plan.call).map(|call| call.0.admit()).transpose()?;
        let read = |_: &_, bytes: &[u8], limit| {
            plan.any.read_value(bytes, limit).map(|json| (json, members::filter_text(bytes)))
        };
        let json = reader.json(&plan.body, read).await?;
        let (Some(mut call), Some((json, filter))) = (call, json) else { return Ok(None) };
        let (head, violations) = reader.head();
        let part = plan.read_members(&mut call, &json, filter.as_deref(), &head, violations)?;
        Ok(part.map(|part| Self { call, part }))
    }
}

/// The lists whose `GET` has errors.
#[derive(Default)]
struct Reported(Vec<String>);

/// Drops the errors of an operation on a list if the `GET` of the same list has reported errors.
pub(super) fn report_once<T>(
    planned: Result<T, BuildErrors>,
    context: &mut BuildContext<'_>,
) -> Result<T, BuildErrors> {
    let Err(errors) = planned else { return planned };
    let settings = context.route().setting::<OperationSettings>();
    let Some(settings) = settings.filter(|settings| settings.mode == Mode::List) else { return Err(errors) };
    let (path, is_get) = (settings.resource.path.clone(), context.operation().method == Method::GET);
    let reported = &mut context.build_state::<Reported>().0;
    match reported.contains(&path) {
        true if !is_get => return Err(BuildErrors::new()),
        true => {}
        false => reported.push(path),
    }
    Err(errors)
}

impl QueryRequest {
    fn plan_members(context: &mut BuildContext<'_>) -> Result<QueryPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let call = errors.take(Call::plan(context));
        let part = errors.take(ListRequest::plan(context));
        let format = errors.take(SelectedFormat::plan(context));
        errors.take(request::check(context));
        // An error that several operations share is reported once.
        let filter = FilterTree::of_request(context);
        let filter = context.api_errors().take(filter).flatten();
        let (Some(call), Some((search, list)), Some(format)) = (call, part, format) else { return Err(errors) };
        let described = described(&call, &search, &list);
        let name = resource_of(context)?.query_name();
        let members = Members::new(&described, context.registry());
        let filter_name = format!("{name}QueryFilter");
        let filter_schema = filter.as_ref().map(|filter| filter.schema(&filter_name));
        let collection = PropertyCollection::new(format!("{name}Query"));
        let schema = context.registry().define_collection(&members::schema(collection, filter_schema, &described));
        let body = JsonPlan::new(SchemaUse::input(schema), context);
        let any = context.registry().compile(SchemaType::any(), SchemaSide::Input, None);
        errors.finish(Some(QueryPlan { call, search, list, format, filter, members, body, any }))
    }
}

impl QueryPlan {
    /// Reads the members of the body. Returns 403 if the caller may not include a relation.
    fn read_members(
        &self,
        call: &mut Call,
        json: &Json,
        filter: Option<&RawValue>,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Result<Option<Both<ListRequest, SelectedFormat>>> {
        let read = self.members.read(json, self.filter.is_some(), violations);
        let Some(parameters) = read.parameters else { return Ok(None) };
        let included = head.with_body_parameters(&parameters, violations, |head, violations| {
            self.call.include(call, head, violations).then_some(())
        });
        if let Some(rejection) = call.rejection.take() {
            return Err(*rejection);
        }
        let filter = match (&self.filter, filter) {
            (Some(filter), Some(json)) => {
                filter.read(json, head, violations, &|head, violations| self.list.read_filter(head, violations))
            }
            _ => Some(Expression::TRUE),
        };
        let list = |parameters: &Query, violations: &mut RequestViolations| {
            head.with_body_parameters(parameters, violations, |head, violations| {
                let search = self.search.read(head, violations);
                if let (Some(filter), Some(search)) = (&filter, &search) {
                    FilterTree::bind_cursors(filter, search.as_deref(), head);
                }
                let (list, format) =
                    (self.list.read(head, violations), SelectedFormat::read(&self.format, head, violations));
                Some(Both(ListRequest { search: search?, ..list? }, format?))
            })
        };
        let list = match &filter {
            Some(_) if read.is_valid => list(&parameters, violations),
            // A cursor is not compared with invalid members.
            _ => list(&members::without_cursor(&parameters), violations),
        };
        let (Some(()), Some(filter), Some(Both(list, format))) = (included, filter, list) else { return Ok(None) };
        let is_valid = read.is_valid;
        // The expression of a list without conditions can contain conditions of the application.
        Ok(is_valid.then(|| Both(ListRequest { filter: list.filter.and(filter), ..list }, format)))
    }
}

/// Describes the same list as in a `GET`, with all parameters in the query string.
fn described(call: &CallPlan, search: &SearchPlan, list: &ListPlan) -> Operation {
    let mut operation = Operation::new("", Method::QUERY, "");
    Call::describe(call, &mut operation);
    search.describe(&mut operation);
    list.describe(&mut operation);
    operation
}
