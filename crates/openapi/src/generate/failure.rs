//! Collects error responses into shared components.
//!
//! The framework's problems share one component per status. Each combination of an application's custom problem codes
//! gets a separate component.

use std::rc::Rc;

use restwright_runtime::Api;
use restwright_runtime::core::Problem;
use restwright_runtime::core::http::{RequestId, StatusCode};
use restwright_runtime::core::operation::{
    ExampleObject, FailureResponse, HeaderObject, MediaTypeObject, Operation, OrReference, Reference, ResponseObject,
};
use restwright_runtime::core::problem::{ProblemKind, catalogue, define_kinds};
use restwright_runtime::core::runtime::{SharedErrorForm, problem_json};
use restwright_runtime::core::schema::{PropertyCollection, ReadError, Registry, SchemaSide, string};
use serde_json::Value;

use super::{ByName, Generator};

/// The request id in example problem bodies.
const EXAMPLE_ID: &[u8] = b"4bf92f3577b34da6";

/// The error responses of all operations, by component name.
pub(super) type ErrorResponses = ByName<FailureComponent>;

/// An error response that several operations share. It lists every problem and header that any of these operations can
/// return.
#[derive(Default)]
pub(super) struct FailureComponent {
    kinds: Vec<ProblemKind>,
    /// The headers of the error response, each with the number of operations whose response includes it.
    headers: Vec<(HeaderObject, usize)>,
    places: usize,
}

impl FailureComponent {
    /// Adds the problems and headers of one operation to the shared response.
    pub(super) fn add(&mut self, failure: &FailureResponse) {
        for kind in &failure.kinds {
            if !self.kinds.contains(kind) {
                self.kinds.push(kind.clone());
                self.kinds.sort_by(|one, other| one.code.cmp(&other.code));
            }
        }
        self.places += 1;
        for declared in &failure.headers {
            match self.headers.iter_mut().find(|(known, _)| known.name == declared.name) {
                Some((known, places)) => {
                    known.required &= declared.required;
                    *places += 1;
                }
                None => self.headers.push((declared.clone(), 1)),
            }
        }
    }

    /// Returns the headers of the shared response. A header is optional if the response of any operation does not
    /// include it.
    fn headers(&self) -> impl Iterator<Item = HeaderObject> {
        self.headers.iter().map(|(header, places)| {
            let header = header.clone();
            if *places == self.places { header } else { header.optional() }
        })
    }
}

/// The error responses of an operation, each with its component name.
pub(super) type OperationFailures = Rc<[(String, FailureResponse)]>;

/// The error responses of the operations so far. Operations with equal problems share them.
#[derive(Default)]
pub(super) struct KnownFailures<'a>(Vec<(&'a Operation, OperationFailures)>);

impl<'a> KnownFailures<'a> {
    /// Returns the error responses of an operation. Omits responses that the route describes itself.
    pub(super) fn of_operation(&mut self, operation: &'a Operation) -> OperationFailures {
        if let Some((_, failures)) = self.0.iter().find(|(known, _)| have_equal_failures(known, operation)) {
            return Rc::clone(failures);
        }
        let mut failures = operation.failures();
        // The description of the route is more specific than the component.
        failures.retain(|failure| !operation.responses.iter().any(|known| known.key() == failure.status.as_str()));
        let failures: OperationFailures =
            failures.into_iter().map(|failure| (failure.component_name(), failure)).collect();
        self.0.push((operation, Rc::clone(&failures)));
        failures
    }
}

/// Returns `true` if everything that [`KnownFailures::of_operation`] reads is equal for both operations of an Api.
fn have_equal_failures(one: &Operation, other: &Operation) -> bool {
    one.method == other.method
        && one.languages == other.languages
        && one.problems == other.problems
        && one.common_headers == other.common_headers
        && one.responses.iter().map(OrReference::key).eq(other.responses.iter().map(OrReference::key))
}

impl Generator<'_> {
    /// Returns a reference to the component of an error response. If the component contains more codes than the
    /// operation can return, the description of the reference lists the codes of the operation.
    pub(super) fn failure(&self, name: &str, failure: &FailureResponse) -> Reference {
        let reference = Reference::component(failure.status.as_str(), "responses", name);
        if self.failures.get(name).is_none_or(|component| component.kinds == failure.kinds) {
            return reference;
        }
        let mut codes = String::new();
        for kind in &failure.kinds {
            codes.push_str(if codes.is_empty() { "`" } else { ", `" });
            codes.push_str(&kind.code);
            codes.push('`');
        }
        codes.push('.');
        reference.with_description(codes)
    }

    /// Renders the components of the error responses.
    pub(super) fn failure_components(&mut self) {
        for (name, component) in std::mem::take(&mut self.failures).iter() {
            let status = component.kinds.first().map_or(StatusCode::INTERNAL_SERVER_ERROR, |kind| kind.status);
            let mut response = ResponseObject::new(status);
            response.description = Some(description(&component.kinds));
            response.headers = component.headers().map(|header| self.shared_header(&header)).collect();
            response.content.push(self.problem(name, &component.kinds));
            self.components.responses.get_or_insert_with(name, || response);
        }
    }

    fn problem(&mut self, name: &str, kinds: &[ProblemKind]) -> MediaTypeObject<Value> {
        let form = self.api.configuration().configured_error_form();
        let schema = match form {
            Some(form) => form.define(&mut self.registry),
            None => define_kinds(&mut self.registry, format!("{name}Problem"), kinds),
        };
        let media_type = form.map_or(Problem::MEDIA_TYPE, SharedErrorForm::media_type);
        let schema = self.registry.json_schema(&schema, SchemaSide::Output, None);
        self.used.add_other(&schema);
        let mut content = MediaTypeObject::new(media_type).schema(schema);
        let examples = kinds.iter().filter_map(|kind| Some(ExampleObject::new(&*kind.code, example(self.api, kind)?)));
        content.examples.extend(examples);
        content
    }
}

/// Returns an example of a problem body. It is created by the same code that creates real problem responses.
fn example(api: &Api, kind: &ProblemKind) -> Option<Value> {
    let mut problem = Problem::new(kind.clone());
    if *kind == catalogue::INVALID_REQUEST {
        let rule = PropertyCollection::new("").property(string("name"));
        let read = Registry::new().compile(&rule, SchemaSide::Input, None).read_value(b"{}", 1);
        if let Err(ReadError::Violations(violations)) = read {
            problem = violations.into();
        }
    }
    let configuration = api.configuration();
    let base = configuration.values().problem_base.as_deref();
    let id = RequestId::accept(Some(EXAMPLE_ID));
    let body = match configuration.configured_error_form() {
        Some(form) => form.render(problem.parts(), id.as_str(), base, "en").ok()?.1,
        None => problem_json(problem.parts(), &id, base).into(),
    };
    serde_json::from_slice(&body).ok()
}

fn description(kinds: &[ProblemKind]) -> String {
    let lines = kinds.iter().map(|kind| format!("- {}", explained(kind)));
    match kinds {
        [kind] => explained(kind),
        _ => lines.collect::<Vec<_>>().join("\n"),
    }
}

fn explained(kind: &ProblemKind) -> String {
    match &kind.description {
        Some(description) => format!("`{}` ({}): {description}", kind.code, kind.title),
        None => format!("`{}`: {}.", kind.code, kind.title),
    }
}

/// Returns the reason phrase of a status (RFC 9110, section 15).
pub(super) fn reason(status: StatusCode) -> String {
    status.canonical_reason().map_or_else(|| format!("Status {}", status.as_str()), str::to_owned)
}
