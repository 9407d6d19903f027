//! Implements JSON bodies for types with a schema.

use std::fmt;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderValue, Method};
use restwright_schema::{CompiledSchema, ReadError, Schema, SchemaObject, SchemaSide, typed_schema};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::Files;
use super::{BodyFormat, ReadBody, WriteBody};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpResponse, IncomingBody, Payload, to_data_json, to_json};
use crate::media_type::{is_json, is_of};
use crate::operation::{MediaTypeObject, Operation, RequestBodyObject, ResponseObject, SchemaUse};
use crate::part::RequestHead;
use crate::problem::{Problem, RequestViolations, Result, ViolationLocation, catalogue};

/// Validates and parses JSON bodies, and bodies in other [formats](BodyFormat). The schema of the bodies is compiled when
/// the Api is built. Every [`ReadBody`] implementation for JSON uses this type.
pub struct JsonPlan {
    schema: SchemaUse,
    shape: CompiledSchema,
    required: bool,
    is_json: bool,
    formats: Vec<&'static dyn BodyFormat>,
}

impl JsonPlan {
    /// Compiles the schema of a required JSON body.
    #[must_use]
    pub fn new(schema: SchemaUse, context: &mut BuildContext<'_>) -> Self {
        let shape = context.registry().compile(&schema.schema, SchemaSide::Input, schema.mode);
        Self { schema, shape, required: true, is_json: true, formats: Vec::new() }
    }

    /// Makes the body optional. A missing body is read as `null`.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Also accepts bodies in other formats. With `is_json: false`, accepts only these formats.
    #[must_use]
    pub fn formats(mut self, is_json: bool, formats: &[&'static dyn BodyFormat]) -> Self {
        self.is_json = is_json;
        self.formats = formats.to_vec();
        self
    }

    /// Returns the compiled schema of the body.
    #[must_use]
    pub fn shape(&self) -> &CompiledSchema {
        &self.shape
    }

    /// Adds the body and its error responses to the OpenAPI operation.
    pub fn describe(&self, operation: &mut Operation) {
        let mut content: Vec<_> =
            self.is_json.then(|| MediaTypeObject::json(self.schema.clone())).into_iter().collect();
        for format in &self.formats {
            let mut described = MediaTypeObject::new(format.media_type()).schema(self.schema.clone());
            format.describe(&self.shape, &mut described);
            content.push(described);
        }
        operation.request_body = Some(RequestBodyObject {
            description: self.schema.schema.description_text().map(str::to_owned),
            required: self.required,
            content,
        });
        describe_body_problems(operation);
    }

    /// Reads the whole body into memory and parses it with the function `read`. Pass [`CompiledSchema::read`] for a
    /// typed value, or [`CompiledSchema::read_value`] for a JSON value. A missing optional body is parsed as `null`.
    ///
    /// # Errors
    /// The problems of a body that cannot be read: 400, 408, 413, 415.
    pub async fn read<T>(
        &self,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
        read: impl FnOnce(&CompiledSchema, &[u8], usize) -> Result<T, ReadError>,
    ) -> Result<Option<T>> {
        let Some((json, files)) = self.json(head, body, violations).await? else { return Ok(None) };
        let outcome = read(&self.shape, &json, violations.remaining());
        drop(files);
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) => refuse(error, violations).map(|()| None),
        }
    }

    /// Reads the whole body as JSON text. This method is not generic, so it is compiled once.
    async fn json(
        &self,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<(Bytes, Option<Files>)>> {
        let content_type = head.request().header(&CONTENT_TYPE);
        if !self.required && content_type.is_none() && body.bytes().await?.is_empty() {
            return Ok(Some((Bytes::from_static(b"null"), None)));
        }
        // RFC 10008, section 2.
        if content_type.is_none() && *head.request().method() == Method::QUERY {
            return Err(Problem::new(catalogue::MALFORMED_REQUEST)
                .detail("A `QUERY` request must have a media type. Send `Content-Type: application/json`.")
                .detail_key("malformed_request.content_type"));
        }
        let format = content_type.and_then(|sent| self.formats.iter().find(|format| is_of(sent, format.media_type())));
        if format.is_none() {
            self.check_content_type(content_type)?;
        }
        check_content_coding(head.request().header(&CONTENT_ENCODING))?;
        let (Some(format), Some(content_type)) = (format, content_type) else {
            return Ok(Some((body.bytes().await?, None)));
        };
        let formatted = format.read(&self.shape, content_type, body, violations).await?;
        Ok(formatted.map(|body| (body.json, Some(Files::new(body.files)))))
    }

    fn check_content_type(&self, content_type: Option<&str>) -> Result<()> {
        if self.formats.is_empty() {
            return check_content_type(content_type);
        }
        if self.is_json && content_type.is_some_and(is_json) {
            return Ok(());
        }
        let json = self.is_json.then_some("application/json");
        let accepted = json.into_iter().chain(self.formats.iter().map(|format| format.media_type()));
        Err(unsupported_media_type(&accepted.collect::<Vec<_>>()))
    }
}

impl fmt::Debug for JsonPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("JsonPlan").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Schema + DeserializeOwned> ReadBody for T {
    type Plan = JsonPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<JsonPlan, BuildErrors> {
        let schema = SchemaUse::input(typed_schema::<T>(context.registry()));
        let plan = JsonPlan::new(schema, context);
        Ok(if T::OPTIONAL { plan.optional() } else { plan })
    }

    fn plan_in(
        is_json: bool,
        formats: &[&'static dyn BodyFormat],
        context: &mut BuildContext<'_>,
    ) -> Result<JsonPlan, BuildErrors> {
        Ok(<T as ReadBody>::plan(context)?.formats(is_json, formats))
    }

    fn describe(plan: &JsonPlan, operation: &mut Operation) {
        plan.describe(operation);
    }

    async fn read(
        plan: &JsonPlan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> Result<Option<T>> {
        plan.read(head, body, violations, |shape, bytes, limit| shape.read::<T>(bytes, limit)).await
    }
}

#[diagnostic::do_not_recommend]
impl<T: Schema + Serialize> WriteBody for T {
    type Plan = SchemaObject;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaObject, BuildErrors> {
        Ok(typed_schema::<T>(context.registry()).into())
    }

    fn describe(plan: &SchemaObject, response: &mut ResponseObject) {
        response.content.push(MediaTypeObject::json(SchemaUse::output(plan)));
    }

    fn write(self, _: &SchemaObject, response: &mut HttpResponse) -> Result<()> {
        write_json(&self, response)
    }
}

/// Serializes a value as the JSON body of a response, and sets `Content-Type` to `application/json`.
///
/// # Errors
/// 500 if the value cannot be serialized, such as a map whose keys are not strings.
pub fn write_json(value: &impl Serialize, response: &mut HttpResponse) -> Result<()> {
    set_json(to_json(value, None), response)
}

/// Serializes a value as the member `data` of the JSON body of a response, with the same bytes as [`Data`](crate::Data).
///
/// # Errors
/// 500 if the value cannot be serialized, such as a map whose keys are not strings.
pub fn write_data(value: &impl Serialize, response: &mut HttpResponse) -> Result<()> {
    set_json(to_data_json(value), response)
}

fn set_json(json: Result<Vec<u8>, serde_json::Error>, response: &mut HttpResponse) -> Result<()> {
    response.set_content_type(HeaderValue::from_static("application/json"));
    response.set_payload(Payload::Bytes(json.map_err(Problem::internal)?.into()));
    Ok(())
}

/// Serializes a value as JSON, with the same bytes as in a response.
///
/// # Errors
/// 500 if the value cannot be serialized, such as a map whose keys are not strings.
pub fn json_bytes(value: &impl Serialize) -> Result<Bytes> {
    to_json(value, None).map(Bytes::from).map_err(Problem::internal)
}

/// Adds the violations of a rejected body to `violations`. Returns a 400 problem if the body is not valid JSON.
fn refuse(error: ReadError, violations: &mut RequestViolations) -> Result<()> {
    match error {
        ReadError::Violations(found) => {
            violations.extend(ViolationLocation::Body, "", found);
            Ok(())
        }
        ReadError::Syntax { line, column, message } => Err(Problem::new(catalogue::MALFORMED_BODY)
            .detail(format!("The body is not valid JSON: {message} at line {line}, column {column}."))
            .detail_key("malformed_body.syntax")
            .member("line", line)
            .member("column", column)),
        error => Err(Problem::internal(error)),
    }
}

/// Adds the problems of a body that cannot be read to the OpenAPI operation.
pub fn describe_body_problems(operation: &mut Operation) {
    for kind in [
        catalogue::MALFORMED_BODY,
        catalogue::INCOMPLETE_BODY,
        catalogue::BODY_TIMEOUT,
        catalogue::BODY_TOO_LARGE,
        catalogue::UNSUPPORTED_MEDIA_TYPE,
    ] {
        operation.add_problem(kind);
    }
}

/// Returns the 415 problem of an endpoint that accepts several media types.
#[must_use]
pub fn unsupported_media_type(accepted: &[&str]) -> Problem {
    let accepted = accepted.join(", ");
    Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
        .detail(format!("The media type of the body must be one of: {accepted}."))
        .detail_key("unsupported_media_type.formats")
        .detail_param("media_types", accepted)
}

/// Rejects bodies with a `Content-Encoding` (RFC 9110, section 8.4), because the JSON parser cannot decode them.
///
/// # Errors
/// 415 if the body has a content coding.
pub fn check_content_coding(coding: Option<&str>) -> Result<()> {
    match coding {
        None => Ok(()),
        Some(coding) if coding.trim().eq_ignore_ascii_case("identity") => Ok(()),
        Some(_) => Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
            .detail("The body must be sent without `Content-Encoding`.")
            .detail_key("unsupported_media_type.encoding")),
    }
}

fn check_content_type(content_type: Option<&str>) -> Result<()> {
    match content_type {
        Some(content_type) if is_json(content_type) => Ok(()),
        Some(_) => Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
            .detail("The body must be JSON in UTF-8. Send `Content-Type: application/json`.")
            .detail_key("unsupported_media_type.json")),
        None => Err(Problem::new(catalogue::UNSUPPORTED_MEDIA_TYPE)
            .detail("The body has no media type. Send `Content-Type: application/json`.")
            .detail_key("unsupported_media_type.missing")),
    }
}
