//! Defines [`TestResponse::assert_documented`], which checks a response against the description of its operation.

mod body;
mod headers;
mod problem;

use restwright_runtime::core::http::header::ALLOW;
use restwright_runtime::core::http::{Method, StatusCode};
use restwright_runtime::core::operation::{Operation, SchemaUse};
use restwright_runtime::core::schema::CompiledSchema;

use crate::response::TestResponse;

impl TestResponse {
    /// Asserts that the status, headers and body match the description of the operation.
    ///
    /// The operation must describe the status. Each header that it requires must exist and match its schema. A header
    /// that is not described is an error, except `Content-Type` and `Content-Length`. The body must have a described
    /// media type and match its schema. A problem must have a described code. A response without a route (404, 405,
    /// `OPTIONS`) is checked against the framework's own description.
    ///
    /// # Panics
    /// Panics with a list of all differences.
    #[track_caller]
    pub fn assert_documented(&self) -> &Self {
        let differences = differences(self);
        if !differences.is_empty() {
            self.fail(&format!("the response is not as documented:\n  - {}", differences.join("\n  - ")));
        }
        self
    }
}

/// Returns all differences between a response and the description of its operation. Each difference is a sentence without a full stop.
fn differences(response: &TestResponse) -> Vec<String> {
    let mut found = Vec::new();
    match response.api.route(&response.method, &response.path) {
        Some(route) => routed(response, route.operation(), &mut found),
        None => unrouted(response, &mut found),
    }
    found
}

fn routed(response: &TestResponse, operation: &Operation, found: &mut Vec<String>) {
    let common = &operation.common_headers;
    if let Some(described) = operation.inline_responses().find(|described| described.status == response.status) {
        headers::check(response, described.inline_headers().chain(common), found);
        body::check(response, &described.content, found);
        return;
    }
    let failures = operation.failures();
    if let Some(failure) = failures.iter().find(|failure| failure.status == response.status) {
        headers::check(response, failure.headers.iter().chain(common), found);
        problem::check(response, &failure.kinds, found);
        return;
    }
    let successes = operation.inline_responses().map(|described| described.status);
    let mut statuses: Vec<_> = successes.chain(failures.iter().map(|failure| failure.status)).collect();
    statuses.sort_unstable();
    let statuses: Vec<_> = statuses.iter().map(StatusCode::as_str).collect();
    let (status, id) = (response.status.as_str(), &operation.id);
    let remedy = if problem::is_problem(response) { format!("; {}", problem::REMEDY) } else { String::new() };
    let statuses = statuses.join(", ");
    found.push(format!("the status {status} of `{id}` is not documented (documented: {statuses}){remedy}"));
}

/// Checks the response to a request that matches no route.
fn unrouted(response: &TestResponse, found: &mut Vec<String>) {
    if response.status.is_client_error() || response.status.is_server_error() {
        let all = restwright_runtime::core::problem::catalogue::ALL.iter();
        let kinds: Vec<_> = all.filter(|kind| response.status_of(kind) == response.status).cloned().collect();
        problem::check(response, &kinds, found);
    } else if response.method != Method::OPTIONS {
        found.push(format!("no route matches {} {}", response.method, response.path));
    }
    let is_options = response.method == Method::OPTIONS && response.status.is_success();
    let lists_methods = is_options || response.status == StatusCode::METHOD_NOT_ALLOWED;
    if lists_methods && !response.headers.contains_key(ALLOW) {
        found.push("the header `Allow` is missing".to_owned());
    }
}

fn compile(response: &TestResponse, used: &SchemaUse) -> CompiledSchema {
    response.registry.borrow_mut().compile(&used.schema, used.side, used.mode)
}
