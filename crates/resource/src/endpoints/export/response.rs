//! Defines [`Listed`], the response to a list: a page as JSON, or an export.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use restwright_core::body::Bytes;
use restwright_core::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, VARY};
use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, Payload, StatusCode, Trailer};
use restwright_core::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use restwright_core::problem::catalogue;
use restwright_core::runtime::{LocalBoxFuture, ROW_COUNT, row_count_line};
use restwright_core::schema::{SchemaObject, SchemaSide, SchemaType};
use restwright_core::{BuildContext, BuildErrors, Problem, Response, Result};

use super::Format;
use super::rows::{NextPage, RowPage, Rows};
use super::writer::{Column, RowWriter};
use crate::endpoints::caller::field_rights::FieldRights;
use crate::endpoints::declare::settings::resource_of;
use crate::endpoints::erased::kind::Shape;
use crate::endpoints::read::body::property_names;
use crate::endpoints::respond::page::{ACCEPT_QUERY, ListedPage, QUERY_MEDIA_TYPES};
use crate::endpoints::respond::shown::{PRIVATE, Shown};

/// The response to a list.
pub(in crate::endpoints) enum Listed {
    Page(Shown<ListedPage>),
    Export(Exported),
}

/// An export whose first page is read.
pub(in crate::endpoints) struct Exported {
    format: Format,
    rights: FieldRights,
    /// The names of the computed properties that the caller may not read.
    hidden: Vec<String>,
    /// The names of the relations that the request includes.
    relations: Vec<String>,
    first: RowPage,
}

pub(in crate::endpoints) struct ListedPlan {
    page: <Shown<ListedPage> as Response>::Plan,
    export: Option<ExportPlan>,
}

struct ExportPlan {
    item: SchemaObject,
    /// The columns of all properties.
    columns: Vec<Column>,
    /// The name of the file for CSV.
    file: HeaderValue,
    counts_rows: bool,
}

impl Listed {
    /// Reads the first page of an export.
    pub(in crate::endpoints) async fn export(format: Format, rows: Rows) -> Result<Self> {
        let (rights, hidden, relations) = rows.shown();
        Ok(Self::Export(Exported { format, rights, hidden, relations, first: rows.read().await? }))
    }
}

impl Response for Listed {
    type Plan = ListedPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<ListedPlan, BuildErrors> {
        let page = Shown::<ListedPage>::plan(context)?;
        let info = resource_of(context)?.clone();
        let export = info.export.map(|export| {
            let name = format!("attachment; filename=\"{}.csv\"", info.definition.name());
            let registry = context.registry();
            let item = SchemaObject::new(info.kind.schema_type(Shape::Item, registry));
            let shape = registry.compile(&item, SchemaSide::Output, None);
            let is_escaped = |name: &str| export.escapes_formulas && !shape.is_quantity(name);
            let names = property_names(info.kind, Shape::Item, registry).into_iter();
            ExportPlan {
                item,
                columns: names.map(|name| Column { is_escaped: is_escaped(&name), name }).collect(),
                file: HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment")),
                counts_rows: export.counts_rows,
            }
        });
        if export
            .as_ref()
            .is_some_and(|export| export.counts_rows && export.columns.iter().any(|column| column.name == ROW_COUNT))
        {
            return Err(BuildErrors::one(format!(
                "the property `{ROW_COUNT}` has the name of the last line of an export with `row_count`; rename the property"
            )));
        }
        Ok(ListedPlan { page, export })
    }

    fn describe(plan: &ListedPlan, operation: &mut Operation) {
        Shown::<ListedPage>::describe(&plan.page, operation);
        let Some(export) = &plan.export else { return };
        let response = operation.response(StatusCode::OK);
        let header = |name: &str, description: &str| {
            HeaderObject::new(name.to_owned(), SchemaUse::output(SchemaObject::string())).description(description)
        };
        response.add_header(header("Vary", "Contains `Accept`, which selects the media type."));
        response.add_header(header("Content-Disposition", "The name of the file for CSV (RFC 6266).").optional());
        let item = export.item.clone();
        let item = if export.counts_rows { SchemaType::any_of([item, row_count_line().into()]).into() } else { item };
        let item = SchemaUse::output(item).stored();
        let content = &mut response.content;
        let lines = [Format::JsonLines, Format::Ndjson].map(Format::media_type);
        content.extend(lines.map(|name| MediaTypeObject::new(name).item_schema(item.clone())));
        let rows =
            SchemaObject::string().description("A row with the names of the properties, and a row for each entity.");
        content.push(MediaTypeObject::new(Format::Csv.media_type()).schema(SchemaUse::output(rows)));
    }

    fn respond(self, plan: &ListedPlan, request: &HttpRequest) -> Result<HttpResponse> {
        let Some(export) = &plan.export else {
            return match self {
                Self::Page(shown) => shown.respond(&plan.page, request),
                Self::Export(_) => Err(Problem::new(catalogue::NOT_ACCEPTABLE)),
            };
        };
        let ((_, supports_query), names) = &plan.page;
        let mut response = match self {
            Self::Page(shown) => shown.respond(&plan.page, request)?,
            Self::Export(Exported { format, rights, hidden, relations, first }) => {
                let mut response = HttpResponse::new(StatusCode::OK);
                let is_private = first.embedded.as_ref().is_some_and(|embedded| embedded.is_private);
                if rights.are_guarded() || is_private {
                    response.insert_header(CACHE_CONTROL, PRIVATE);
                }
                if *supports_query {
                    response.insert_header(ACCEPT_QUERY, QUERY_MEDIA_TYPES);
                }
                if format == Format::Csv {
                    response.insert_header(CONTENT_DISPOSITION, export.file.clone());
                    response.set_content_type(HeaderValue::from_static("text/csv; charset=utf-8; header=present"));
                } else {
                    response.set_content_type(HeaderValue::from_static(format.media_type()));
                }
                let is_hidden = |name: &String| {
                    let mut fields = names.iter().filter(|field| field.names.contains(name));
                    hidden.contains(name) || fields.any(|field| !rights.may_read(&field.field))
                };
                let columns = export.columns.iter().filter(|column| !is_hidden(&column.name)).cloned();
                // Related entities are JSON.
                let relations = relations.into_iter().map(|name| Column { name, is_escaped: false });
                let columns = columns.chain(relations).collect();
                let writer = RowWriter { format, rights, names: names.clone(), columns, count: 0 };
                let (head, state) = (writer.head(), State::Read(first));
                let trailer = export.counts_rows.then(|| response.trailer(TRAILER));
                response.set_payload(Payload::Stream(Box::pin(Pages { writer, head, state, trailer })));
                response
            }
        };
        response.headers_mut().append(VARY, HeaderValue::from_static("Accept"));
        Ok(response)
    }
}

/// The field that contains the number of rows after the body.
const TRAILER: HeaderName = HeaderName::from_static("x-row-count");

/// The body of an export. It reads a page when the client has received the page before.
struct Pages {
    writer: RowWriter,
    /// The first row, which is sent before the first page.
    head: Vec<u8>,
    state: State,
    /// The number of rows follows the body.
    trailer: Option<Trailer>,
}

enum State {
    Read(RowPage),
    Reading(LocalBoxFuture<'static, Result<RowPage>>),
    Ended,
}

impl Stream for Pages {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                State::Reading(reading) => match reading.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(page)) => this.state = State::Read(page),
                    Poll::Ready(Err(problem)) => {
                        this.state = State::Ended;
                        return Poll::Ready(Some(Err(problem.into())));
                    }
                },
                State::Read(page) => {
                    let mut rows = this.writer.rows(page);
                    if let (Some(trailer), Ok(rows), None) = (&this.trailer, &mut rows, &page.next) {
                        trailer.set(this.writer.count);
                        rows.extend_from_slice(this.writer.end().as_bytes());
                    }
                    let next = page.next.take().map(NextPage::read);
                    this.state = next.map_or(State::Ended, State::Reading);
                    let head = std::mem::take(&mut this.head);
                    let rows = match rows {
                        Ok(rows) if head.is_empty() => rows,
                        Ok(rows) => [head, rows].concat(),
                        Err(problem) => {
                            this.state = State::Ended;
                            return Poll::Ready(Some(Err(problem.into())));
                        }
                    };
                    if !rows.is_empty() {
                        return Poll::Ready(Some(Ok(rows.into())));
                    }
                }
                State::Ended => return Poll::Ready(None),
            }
        }
    }
}
