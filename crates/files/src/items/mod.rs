//! Defines [`ItemStream`], a request body of many items, which are read and validated one by one.

mod csv_rows;
mod lines;
#[cfg(test)]
mod tests;
mod text_body;

use std::fmt;
use std::marker::PhantomData;

use restwright_runtime::core::body::{Bytes, ReadBody};
use restwright_runtime::core::http::IncomingBody;
use restwright_runtime::core::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use restwright_runtime::core::operation::{MediaTypeObject, Operation, RequestBodyObject, SchemaUse};
use restwright_runtime::core::problem::{RequestViolations, catalogue};
use restwright_runtime::core::runtime::{
    ROW_COUNT, ReadOnce, check_content_coding, describe_body_problems, has_utf8_charset, is_of, row_count_line,
    unsupported_media_type,
};
use restwright_runtime::core::schema::{
    Code, CompiledSchema, ReadError, Schema, SchemaObject, SchemaSide, Violation, Violations, pointer_to, typed_schema,
};
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, RequestHead, Result};
use serde::de::DeserializeOwned;

use self::csv_rows::CsvRows;
use self::lines::Lines;
use self::text_body::TextBody;
use crate::counted::CountedBody;

/// A request body of many items, as JSON lines (`application/jsonl`, `application/x-ndjson`) or as CSV (`text/csv`, RFC 4180). The handler reads the
/// items one by one, so the body can be larger than the memory.
///
/// Each item is validated like a JSON body. A decimal can be a number, which is read by its digits, and a time can have a space instead of `T`.
/// Properties that clients cannot set are ignored, because exports contain them.
///
/// The first row of CSV contains the names of the properties. A column without a property is a violation. A cell is a value of the type in the
/// schema, and a list or an object is JSON. An empty cell is null if the property is nullable, absent if it is optional, and otherwise an empty
/// text. `""` is an empty text. A `'` before `=`, `+`, `-`, `@`, a tab or a carriage return is removed, because exports write it. In a file of one
/// column, an empty line is an empty cell if the property is nullable or optional. Other empty lines are ignored.
///
/// JSON lines may end with the line `{"$rows":3}`, which exports with `row_count` write. It is a violation if this is not the number of lines
/// before it.
///
/// An item has at most 1 MiB, which counts towards [the memory of bodies](restwright_runtime::core::Configuration::body_memory). The whole body is limited by the route: see [`Route::body_limit`](restwright_runtime::core::Route::body_limit).
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/item_stream.md"))]
pub struct ItemStream<T> {
    body: TextBody,
    shape: CompiledSchema,
    /// The schema of a last line with the number of the rows.
    end: CompiledSchema,
    max_violations: usize,
    format: Format,
    /// The number of items that were read.
    count: u64,
    once: ReadOnce,
    /// `true` if an item was rewritten before it was read.
    is_rewritten: bool,
    item: PhantomData<fn() -> T>,
}

enum Format {
    Lines(Lines),
    Csv(Box<CsvRows>),
}

/// The maximum size of an item in bytes.
const MAX_ITEM: usize = 1024 * 1024;

/// The maximum size of the line with the number of the rows, in bytes.
const MAX_END: usize = 64;

const LINES: [&str; 2] = ["application/jsonl", "application/x-ndjson"];
const CSV: &str = "text/csv";

impl<T: Schema + DeserializeOwned> ItemStream<T> {
    /// Reads and validates the next item. Returns `None` at the end of the body.
    ///
    /// Undo what you have stored before an error. An import in a transaction reads the items before the transaction, which may run several times; the
    /// guide about exports and imports has an example.
    ///
    /// # Errors
    /// 500 in a second attempt of a transaction whose first attempt has read items, because it would lack them.
    /// 422 if the item is invalid. The pointer of a violation starts with the position of the item, such as `/41/title`, and its parameter `line` is
    /// the number of the line. 400 if the body is malformed. 408, 413 or 503 if it cannot be received.
    pub async fn next(&mut self) -> Result<Option<T>> {
        self.once.read().map_err(|again| Problem::internal(again.message("an `ItemStream`")))?;
        let Some((json, number)) = self.json().await? else { return Ok(None) };
        let item = self.item(&json).map_err(|error| self.problem(error, number))?;
        self.count += 1;
        Ok(Some(item))
    }

    /// Reads an item. If it is invalid, reads it again in the form of other programs.
    fn item(&mut self, json: &[u8]) -> Result<T, ReadError> {
        let read = |json: &[u8]| self.shape.read::<T>(json, self.max_violations);
        // The items of a file are alike.
        let found = if self.is_rewritten { None } else { Some(read(json)) };
        match found {
            None | Some(Err(ReadError::Violations(_))) => {}
            Some(found) => return found,
        }
        match (self.shape.import_json(json), found) {
            (Some(rewritten), _) => {
                let found = read(rewritten.as_bytes());
                self.is_rewritten = true;
                found
            }
            (None, found) => found.unwrap_or_else(|| read(json)),
        }
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
                let Some((line, number)) = lines.next(&mut self.body).await? else { return Ok(None) };
                let Some(rows) = row_count(&line, &self.shape, &self.end) else {
                    return Ok(Some((line, number)));
                };
                let message = if rows != self.count {
                    format!("must be the number of lines before it, {}, so the file is incomplete", self.count)
                } else if lines.next(&mut self.body).await?.is_some() {
                    "must be in the last line".to_owned()
                } else {
                    return Ok(None);
                };
                let violation = Violation::new(pointer_to(ROW_COUNT), Code::INVALID, message);
                Err(invalid(Violations::one(violation), self.count, number))
            }
            Format::Csv(rows) => {
                let next = rows.next(&mut self.body, &self.shape, self.max_violations);
                let Some(number) = next.await? else { return Ok(None) };
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

/// Returns the number in the last line of an export with `row_count`, such as `{"$rows":3}`. Returns `None` for an item.
fn row_count(line: &[u8], item: &CompiledSchema, end: &CompiledSchema) -> Option<u64> {
    memchr::memchr(b'$', line).filter(|_| line.len() <= MAX_END && !item.declares(ROW_COUNT))?;
    end.read_value(line, 1).ok()?.get(ROW_COUNT)?.as_u64()
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
    end: CompiledSchema,
}

impl<T: Schema + DeserializeOwned + 'static> ReadBody for ItemStream<T> {
    type Plan = ItemsPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<ItemsPlan, BuildErrors> {
        let schema = SchemaObject::from(typed_schema::<T>(context.registry()));
        let shape = context.registry().compile(&schema, SchemaSide::Input, None);
        let end = context.registry().compile(row_count_line(), SchemaSide::Input, None);
        Ok(ItemsPlan { schema, shape, end })
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
        if !has_utf8_charset(content_type) {
            return Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
                .detail("The body must be in UTF-8, without the parameter `charset` or with `charset=utf-8`.")
                .detail_key("unsupported_media_type.charset"));
        }
        check_content_coding(head.request().header(&CONTENT_ENCODING))?;
        Ok(Some(Self {
            body: TextBody::new(CountedBody::new(body)),
            shape: plan.shape.clone(),
            end: plan.end.clone(),
            max_violations: violations.remaining(),
            format,
            count: 0,
            once: ReadOnce::UNREAD,
            is_rewritten: false,
            item: PhantomData,
        }))
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ItemStream").field("count", &self.count).finish_non_exhaustive()
    }
}
