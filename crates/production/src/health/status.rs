//! Defines the response body of a health check.

use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};
use jiff::Timestamp;
use restwright_runtime::ComponentState;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{MediaTypeObject, Operation, SchemaUse};
use restwright_runtime::core::schema::{PropertyCollection, SchemaObject, array, date_time, enumeration, string};
use restwright_runtime::core::{BuildContext, BuildErrors, Problem, Response, Result};
use serde_json::{Map, Value};

use super::ready::Verbose;
use crate::no_store::{NO_STORE, not_stored};

/// The response body of a health check. It contains the status, and the states of components for callers who may see
/// them.
pub(super) struct HealthStatus {
    status: &'static str,
    components: Option<Vec<Value>>,
}

impl HealthStatus {
    pub(super) fn new(status: &'static str) -> Self {
        Self { status, components: None }
    }

    pub(super) fn with(self, components: Vec<Value>) -> Self {
        Self { components: Some(components), ..self }
    }
}

impl Response for HealthStatus {
    type Plan = SchemaUse;

    fn plan(context: &mut BuildContext<'_>) -> Result<SchemaUse, BuildErrors> {
        let status =
            string("status").description("The state as a word. The status of the response has the same meaning.");
        let schema = match context.route().setting::<Verbose>() {
            None => PropertyCollection::new("HealthStatus").property(status),
            Some(Verbose) => {
                let component = PropertyCollection::new("ComponentStatus")
                    .property(string("name").description("The name of the component."))
                    .property(enumeration("status", ["ready", "not ready"]).description("The state of the component."))
                    .property(date_time("since").description("The time of the first check that found this state."));
                PropertyCollection::new("ReadinessStatus")
                    .property(status)
                    .property(array("components", component).optional().description("Each component."))
            }
        };
        Ok(SchemaUse::output(SchemaObject::from(schema)))
    }

    fn describe(schema: &SchemaUse, operation: &mut Operation) {
        let response = operation.response(StatusCode::OK);
        response.content.push(MediaTypeObject::json(schema.clone()));
        operation.add_common_header(not_stored().optional());
    }

    fn respond(self, _: &SchemaUse, _: &HttpRequest) -> Result<HttpResponse> {
        let mut body = Map::new();
        body.insert("status".to_owned(), self.status.into());
        if let Some(components) = self.components {
            body.insert("components".to_owned(), components.into());
        }
        let bytes = serde_json::to_vec(&body).map_err(Problem::internal)?;
        let content_type = HeaderValue::from_static("application/json");
        Ok(HttpResponse::with_bytes(StatusCode::OK, content_type, bytes).header(CACHE_CONTROL, NO_STORE))
    }
}

/// Returns the state of a component as JSON.
pub(super) fn component(state: &ComponentState) -> Value {
    let status = if state.is_ready() { "ready" } else { "not ready" };
    // A time after the year 9999 cannot be formatted.
    let since = Timestamp::try_from(state.since()).unwrap_or_default();
    let members = [("name", state.name().into()), ("status", status.into()), ("since", since.to_string().into())];
    // Only a component that has not started has a step, so no successful response contains it.
    let step = state.step().map(|step| ("step", Value::from(step)));
    members.into_iter().chain(step).map(|(name, value)| (name.to_owned(), value)).collect()
}
