//! Defines [`Output`], a response with schemas that are declared at run time.

use std::collections::BTreeMap;

use http::header::IntoHeaderName;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use restwright_schema::{Bag, CompiledSchema, Property, SchemaObject, SchemaSide};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::body::write_json;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::{HeaderObject, MediaTypeObject, Operation, SchemaUse};
use crate::problem::{Problem, Result};
use crate::response::Response;

/// A response with schemas that the route declares at run time, with [`Route::response`](crate::Route::response).
///
/// The compiler does not check the value, so it is checked against the declared schema before it is sent. An invalid
/// value is a 500, and its violations are logged.
#[derive(Debug, Clone)]
pub struct Output {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Output {
    /// Creates a response with this status and body. [`Value::Null`] means no body.
    #[must_use]
    pub fn new(status: StatusCode, body: impl Into<Value>) -> Self {
        Self { status, headers: HeaderMap::new(), body: body.into() }
    }

    /// Serializes a value of type `T` into a response. `T` can have the fields `headers` and `body`. The command-line
    /// subcommand `shapes` generates these types.
    ///
    /// A header is a string, a number, a boolean, or a list of these. The items of a list are joined with commas. A
    /// null header is omitted.
    ///
    /// ```
    /// use restwright_core::{Output, Result};
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize)]
    /// struct ShelterCreated {
    ///     headers: ShelterCreatedHeaders,
    ///     body: Shelter,
    /// }
    ///
    /// #[derive(Serialize)]
    /// struct ShelterCreatedHeaders {
    ///     #[serde(rename = "Location")]
    ///     location: String,
    /// }
    ///
    /// #[derive(Serialize)]
    /// struct Shelter {
    ///     id: i64,
    /// }
    ///
    /// fn created(id: i64) -> Result<Output> {
    ///     let headers = ShelterCreatedHeaders { location: format!("/shelters/{id}") };
    ///     Output::from_typed(201, &ShelterCreated { headers, body: Shelter { id } })
    /// }
    /// # created(7).unwrap();
    /// ```
    ///
    /// # Errors
    /// An internal problem (500) if the status is invalid or the type cannot be serialized. The same applies to a value
    /// that no header can have, such as one with a line break (RFC 9110, section 5.5).
    pub fn from_typed<T: Serialize>(status: u16, response: &T) -> Result<Self> {
        let status = StatusCode::from_u16(status).map_err(Problem::internal)?;
        let mut parts = match Bag::from_typed(response)?.into_value() {
            Value::Object(parts) => parts,
            _ => Map::new(),
        };
        let mut output = Self::new(status, parts.remove("body").unwrap_or_default());
        if let Some(Value::Object(headers)) = parts.remove("headers") {
            for (name, value) in headers {
                let refused = |reason: String| Problem::internal(format!("the header `{name}` {reason}"));
                let Some(text) = header_text(&value).map_err(&refused)? else { continue };
                let header = HeaderName::try_from(&name).map_err(|error| refused(error.to_string()))?;
                let value = HeaderValue::try_from(text).map_err(|error| refused(error.to_string()))?;
                output.headers.insert(header, value);
            }
        }
        Ok(output)
    }

    /// Sets a header and replaces its previous values.
    #[must_use]
    pub fn header(mut self, name: impl IntoHeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}

/// The data that [`Output`] prepares at build time, with the schemas of the declared bodies and headers.
#[derive(Debug)]
pub struct OutputPlan {
    responses: BTreeMap<u16, Option<(SchemaObject, CompiledSchema)>>,
    headers: Vec<(u16, Property)>,
}

impl Response for Output {
    type Plan = OutputPlan;

    fn plan(context: &mut BuildContext<'_>) -> Result<OutputPlan, BuildErrors> {
        let declared = context.route().declared_responses();
        if declared.is_empty() {
            return Err(BuildErrors::one(
                "the response is an `Output`, but the route declares no responses; add `.response(200, ..)` to the route",
            ));
        }
        let mut errors = BuildErrors::new();
        for (status, body) in declared {
            if !(200..400).contains(status) {
                errors.push(format!(
                    "the route declares a response with status {status}; use 200 to 399, or a problem for failures"
                ));
            }
            if body.is_some() && [204, 205, 304].contains(status) {
                errors.push(format!(
                    "the route declares a body for status {status}, which must not have one; use `.empty_response({status})`"
                ));
            }
        }
        for (status, header) in context.route().declared_response_headers() {
            if !declared.contains_key(status) {
                errors.push(format!(
                    "the route declares the header `{}` for status {status} without a response; add `.response({status}, ..)` or correct the status",
                    header.name()
                ));
            }
        }
        let mut responses = BTreeMap::new();
        for (status, schema) in declared {
            let compiled = schema.clone().map(|schema| {
                let compiled = context.registry().compile(&schema, SchemaSide::Output, None);
                (schema, compiled)
            });
            responses.insert(*status, compiled);
        }
        let headers = context.route().declared_response_headers().to_vec();
        errors.finish(Some(OutputPlan { responses, headers }))
    }

    fn describe(plan: &OutputPlan, operation: &mut Operation) {
        let mut statuses = Vec::new();
        for (status, body) in &plan.responses {
            let Ok(status) = StatusCode::from_u16(*status) else { continue };
            statuses.push(status);
            let response = operation.response(status);
            if let Some((schema, _)) = body {
                response.content.push(MediaTypeObject::json(SchemaUse::output(schema)));
            }
            for (_, property) in plan.headers.iter().filter(|(on, _)| *on == status.as_u16()) {
                let mut header = HeaderObject::new(property.name(), SchemaUse::output(property.schema()));
                header.required = property.is_required_in(SchemaSide::Output);
                header.description = property.description_text().map(str::to_owned);
                response.add_header(header);
            }
        }
        operation.run_time.output = Some(statuses);
    }

    fn respond(self, plan: &OutputPlan, _: &HttpRequest) -> Result<HttpResponse> {
        let mut response = HttpResponse::new(self.status);
        match plan.responses.get(&self.status.as_u16()) {
            None => {
                return Err(Problem::internal(format!("status {} is not declared on the route", self.status.as_u16())));
            }
            Some(None) => {}
            Some(Some((_, shape))) => {
                shape.check_value(&self.body, 10).map_err(|violations| {
                    Problem::internal(format!("the response does not match its declared schema: {violations:?}"))
                })?;
                write_json(&self.body, &mut response)?;
            }
        }
        response.headers_mut().extend(self.headers);
        Ok(response)
    }
}

/// Formats a JSON value as the value of a response header. Returns `None` for null.
fn header_text(value: &Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) => Ok(Some(value.to_string())),
        Value::Array(items) => {
            let texts = items.iter().filter_map(|item| header_text(item).transpose());
            texts.collect::<Result<Vec<_>, _>>().map(|texts| Some(texts.join(", ")))
        }
        Value::Object(_) => Err("is an object, which a header cannot contain".to_owned()),
    }
}
