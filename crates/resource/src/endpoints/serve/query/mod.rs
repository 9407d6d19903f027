//! Defines [`QueryRequest`], the request of the operation `QUERY`, which reads the parameters of a list from a JSON body (RFC 10008).

mod members;

use restwright_core::body::JsonPlan;
use restwright_core::http::{Method, Query};
use restwright_core::operation::{Operation, ParameterLocation, SchemaUse};
use restwright_core::problem::RequestViolations;
use restwright_core::schema::{CompiledSchema, PropertyCollection, SchemaSide, SchemaType};
use restwright_core::{BuildContext, BuildErrors, Part, Reader, Request, RequestHead, Result};
use restwright_list::{Expression, FilterTree};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use self::members::Members;
use super::request;
use super::request::Both;
use crate::endpoints::caller::call::Call;
use crate::endpoints::caller::call_plan::CallPlan;
use crate::endpoints::declare::report_once::report_once;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::export::{FormatPlan, SelectedFormat};
use crate::endpoints::includes::{self, Includes};
use crate::endpoints::read::list_request::{ListPlan, ListRequest};
use crate::endpoints::read::search::SearchPlan;
use crate::endpoints::{Endpoints, Resource};

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
    pub(super) includes: Option<Box<Includes>>,
    pub(super) part: Both<ListRequest, SelectedFormat>,
}

pub(super) struct QueryPlan {
    call: CallPlan,
    includes: Option<includes::Plan>,
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

impl Request for QueryRequest {
    type Plan = QueryPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<QueryPlan, BuildErrors> {
        request::set_shapes(context);
        let planned = Self::plan_members(context);
        report_once(planned, context)
    }

    fn describe(plan: &QueryPlan, operation: &mut Operation) {
        let described = described(&plan.call, plan.includes.as_ref(), &plan.search, &plan.list);
        let elsewhere = |location| location != ParameterLocation::Query;
        operation.parameters.extend(described.parameters.into_iter().filter(|one| elsewhere(one.location)));
        described.problems.into_iter().for_each(|problem| operation.add_problem(problem));
        operation.is_list = true;
        plan.body.describe(operation);
    }

    async fn read(plan: &QueryPlan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let (head, violations) = reader.head();
        let (call, is_whole) = plan.call.read(&head, violations);
        // A caller with too few rights gets 403, even if the request has other errors.
        let call = Some(call.admit()?).filter(|_| is_whole);
        let read = |_: &_, bytes: &[u8], limit| {
            plan.any.read_value(bytes, limit).map(|json| (json, members::filter_text(bytes)))
        };
        let json = reader.json(&plan.body, read).await?;
        let (Some(call), Some((json, filter))) = (call, json) else { return Ok(None) };
        let (head, violations) = reader.head();
        let read = plan.read_members(&call, &json, filter.as_deref(), &head, violations)?;
        Ok(read.map(|(includes, part)| Self { call, includes, part }))
    }
}

impl QueryRequest {
    fn plan_members(context: &mut BuildContext<'_>) -> Result<QueryPlan, BuildErrors> {
        let mut errors = BuildErrors::new();
        let call = errors.take(CallPlan::new(context));
        let includes = includes::Plan::new(context);
        let part = errors.take(ListRequest::plan(context));
        let format = errors.take(SelectedFormat::plan(context));
        errors.take(request::check(context));
        // An error that several operations share is reported once.
        let filter = FilterTree::of_request(context);
        let filter = context.api_errors().take(filter).flatten();
        let (Some(call), Some((search, list)), Some(format)) = (call, part, format) else { return Err(errors) };
        let described = described(&call, includes.as_ref(), &search, &list);
        let name = resource_of(context)?.query_name();
        let members = Members::new(&described, context.registry());
        let filter_name = format!("{name}QueryFilter");
        let filter_schema = filter.as_ref().map(|filter| filter.schema(&filter_name));
        let collection = PropertyCollection::new(format!("{name}Query"));
        let schema = context.registry().define_collection(&members::schema(collection, filter_schema, &described));
        let body = JsonPlan::new(SchemaUse::input(schema), context);
        let any = context.registry().compile(SchemaType::any(), SchemaSide::Input, None);
        errors.finish(Some(QueryPlan { call, includes, search, list, format, filter, members, body, any }))
    }
}

/// A part of a request, with the relations to include.
type Included<T> = (Option<Box<Includes>>, T);

impl QueryPlan {
    /// Reads the members of the body. Returns 403 if the caller may not include a relation.
    fn read_members(
        &self,
        call: &Call,
        json: &Json,
        filter: Option<&RawValue>,
        head: &RequestHead<'_>,
        violations: &mut RequestViolations,
    ) -> Result<Option<Included<Both<ListRequest, SelectedFormat>>>> {
        let read = self.members.read(json, self.filter.is_some(), violations);
        let Some(parameters) = read.parameters else { return Ok(None) };
        let included = head.with_body_parameters(&parameters, violations, |head, violations| {
            self.includes.as_ref().map_or(Ok(Some(None)), |includes| includes.read(call, head, violations))
        })?;
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
        let (Some(includes), Some(filter), Some(Both(list, format))) = (included, filter, list) else {
            return Ok(None);
        };
        let is_valid = read.is_valid;
        // The expression of a list without conditions can contain conditions of the application.
        Ok(is_valid.then(|| (includes, Both(ListRequest { filter: list.filter.and(filter), ..list }, format))))
    }
}

/// Describes the same list as in a `GET`, with all parameters in the query string.
fn described(call: &CallPlan, includes: Option<&includes::Plan>, search: &SearchPlan, list: &ListPlan) -> Operation {
    let mut operation = Operation::new("", Method::QUERY, "");
    call.describe(&mut operation);
    includes.iter().for_each(|includes| includes.describe(&mut operation));
    search.describe(&mut operation);
    list.describe(&mut operation);
    operation
}
