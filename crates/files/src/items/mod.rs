//! Defines [`ItemStream`], a request body of many items, which are read and validated one by one.

mod csv_rows;
mod lines;
#[cfg(test)]
mod tests;

use std::fmt;
use std::marker::PhantomData;

use restwright_runtime::core::body::{Bytes, ReadBody};
use restwright_runtime::core::http::IncomingBody;
use restwright_runtime::core::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use restwright_runtime::core::operation::{MediaTypeObject, Operation, RequestBodyObject, SchemaUse};
use restwright_runtime::core::problem::{RequestViolations, catalogue};
use restwright_runtime::core::runtime::{check_content_coding, describe_body_problems, is_of, unsupported_media_type};
use restwright_runtime::core::schema::{
    CompiledSchema, ReadError, Schema, SchemaObject, SchemaSide, Violations, typed_schema,
};
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, RequestHead, Result};
use serde::de::DeserializeOwned;

use self::csv_rows::CsvRows;
use self::lines::Lines;
use crate::counted::CountedBody;

/// A request body of many items, as JSON lines (`application/jsonl`, `application/x-ndjson`) or as CSV (`text/csv`, RFC 4180). The handler reads the
/// items one by one, so the body can be larger than the memory.
///
/// Each item is validated like a JSON body. The first row of CSV contains the names of the properties. A cell is a value of the type in the schema,
/// and a list or an object is JSON. An empty cell is null if the property is nullable, and absent if it is optional.
///
/// An item has at most 1 MiB, which counts towards [the memory of bodies](restwright_runtime::core::Configuration::body_memory). The whole body is limited by the route: see [`Route::body_limit`](restwright_runtime::core::Route::body_limit).
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/item_stream.md"))]
pub struct ItemStream<T> {
    body: CountedBody,
    shape: CompiledSchema,
    max_violations: usize,
    format: Format,
    /// The number of items that were read.
    count: u64,
    item: PhantomData<fn() -> T>,
}

enum Format {
    Lines(Lines),
    Csv(Box<CsvRows>),
}

/// The maximum size of an item in bytes.
const MAX_ITEM: usize = 1024 * 1024;

const LINES: [&str; 2] = ["application/jsonl", "application/x-ndjson"];
const CSV: &str = "text/csv";

impl<T: Schema + DeserializeOwned> ItemStream<T> {
    /// Reads and validates the next item. Returns `None` at the end of the body.
    ///
    /// Undo what you have stored before an error, for example by running the import in a transaction.
    ///
    /// # Errors
    /// 422 if the item is invalid. The pointer of a violation starts with the position of the item, such as `/41/title`, and its parameter `line` is
    /// the number of the line. 400 if the body is malformed. 408, 413 or 503 if it cannot be received.
    pub async fn next(&mut self) -> Result<Option<T>> {
        let Some((json, number)) = self.json().await? else { return Ok(None) };
        let item = self.shape.read::<T>(&json, self.max_violations).map_err(|error| self.problem(error, number))?;
        self.count += 1;
        Ok(Some(item))
    }
}

impl<T> ItemStream<T> {
    /// Returns the JSON Pointer of the last item, such as `/41`, for [`Problem::below`].
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("/{}", self.count.saturating_sub(1))
    }

    /// Returns the next item as JSON, and the number of its first line.
    async fn json(&mut self) -> Result<Option<(Bytes, u64)>> {
        match &mut self.format {
            Format::Lines(lines) => {
                let line = lines.next(&mut self.body).await?;
                Ok(line)
            }
            Format::Csv(rows) => {
                let Some(number) = rows.next(&mut self.body).await? else { return Ok(None) };
                let fields = rows.fields(number)?;
                let checked = rows.check();
                let json = checked.and_then(|()| self.shape.form_to_json(fields, self.max_violations));
                let json = json.map_err(|found| invalid(found, self.count, number))?;
                Ok(Some((json.into(), number)))
            }
        }
    }

    fn problem(&self, error: ReadError, number: u64) -> Problem {
        match error {
            ReadError::Violations(found) => invalid(found, self.count, number),
            ReadError::Syntax { column, .. } => malformed("malformed_body.syntax", "The body is not JSON", number)
                .detail_param("column", column.to_string()),
            error => Problem::internal(error),
        }
    }
}

/// Returns the 422 problem for the item at a position and a line.
fn invalid(found: Violations, position: u64, line: u64) -> Problem {
    Problem::from(found.map(|violation| violation.param("line", line))).below(&format!("/{position}"))
}

/// Returns a 400 problem for a line that cannot be read.
fn malformed(key: &'static str, words: &str, line: u64) -> Problem {
    Problem::new(catalogue::MALFORMED_BODY)
        .detail(format!("{words}: error in line {line}."))
        .detail_key(key)
        .detail_param("line", line.to_string())
}

/// Returns a 413 problem for an item that is too large.
fn too_large(line: u64) -> Problem {
    Problem::new(catalogue::BODY_TOO_LARGE)
        .detail(format!("The item in line {line} must have at most {MAX_ITEM} bytes."))
        .detail_key("body_too_large.item")
        .detail_param("line", line.to_string())
        .detail_param("limit", MAX_ITEM.to_string())
}

/// The schema of the items.
#[derive(Debug)]
pub struct ItemsPlan {
    schema: SchemaObject,
    shape: CompiledSchema,
}

impl<T: Schema + DeserializeOwned + 'static> ReadBody for ItemStream<T> {
    type Plan = ItemsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<ItemsPlan, BuildErrors> {
        let schema = SchemaObject::from(typed_schema::<T>(context.registry()));
        let shape = context.registry().compile(&schema, SchemaSide::Input, None);
        Ok(ItemsPlan { schema, shape })
    }

    fn describe(plan: &ItemsPlan, operation: &mut Operation) {
        let rows =
            SchemaObject::string().description("A row with the names of the properties, and a row for each item.");
        let item = SchemaUse::input(plan.schema.clone());
        let lines = LINES.map(|name| MediaTypeObject::new(name).item_schema(item.clone()));
        let csv = MediaTypeObject::new(CSV).schema(SchemaUse::input(rows));
        let body = RequestBodyObject::new(lines.into_iter().chain([csv]));
        let description = plan.schema.description_text();
        operation.request_body = Some(description.into_iter().fold(body, RequestBodyObject::description));
        describe_body_problems(operation);
        operation.add_problem(catalogue::INVALID_REQUEST);
    }

    async fn read(
        plan: &ItemsPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<Self>> {
        let content_type = head.request().header(&CONTENT_TYPE).unwrap_or_default();
        let format = if is_of(content_type, CSV) {
            Format::Csv(Box::default())
        } else if LINES.iter().any(|name| is_of(content_type, name)) {
            Format::Lines(Lines::default())
        } else {
            let [lines, other] = LINES;
            return Err(unsupported_media_type(&[lines, other, CSV]));
        };
        check_content_coding(head.request().header(&CONTENT_ENCODING))?;
        Ok(Some(Self {
            body: CountedBody::new(body),
            shape: plan.shape.clone(),
            max_violations: violations.remaining(),
            format,
            count: 0,
            item: PhantomData,
        }))
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ItemStream").field("count", &self.count).finish_non_exhaustive()
    }
}
