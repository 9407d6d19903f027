//! Responses of failure: each different one stands once among the components.

use restwright_runtime::Api;
use restwright_runtime::core::Problem;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::operation::{
    FailureResponse, HeaderObject, MediaTypeObject, Operation, OrReference, ResponseObject,
};
use restwright_runtime::core::problem::ProblemKind;
use restwright_runtime::core::runtime::SharedErrorForm;
use serde_json::{Value, json};

use super::{Generator, header};

/// The failures that were rendered.
pub(super) struct FailureComponents {
    /// The media type of the application's own form.
    own_media_type: Option<&'static str>,
    problem: Value,
    /// The names of headers that every operation has, and by which no two components differ.
    headers_of_all: Vec<String>,
    rendered: Vec<FailureComponent>,
}

struct FailureComponent {
    failure: FailureResponse,
    common: Vec<HeaderObject>,
    name: String,
}

impl FailureComponents {
    /// `problem` is the schema of a problem.
    pub(super) fn new(problem: Value, api: &Api) -> Self {
        let has = |operation: &Operation, name: &str| operation.common_headers.iter().any(|header| header.name == name);
        let of_first = api.operations().take(1).flat_map(|operation| &operation.common_headers);
        let of_all = of_first.filter(|header| api.operations().all(|operation| has(operation, &header.name)));
        let headers_of_all = of_all.map(|header| header.name.clone()).collect();
        let own_media_type = api.configuration().configured_error_form().map(SharedErrorForm::media_type);
        Self { own_media_type, problem, headers_of_all, rendered: Vec::new() }
    }

    fn known(&self, failure: &FailureResponse, common: &[HeaderObject]) -> Option<&str> {
        let same = |component: &&FailureComponent| component.failure == *failure && component.common == common;
        self.rendered.iter().find(same).map(|component| component.name.as_str())
    }
}

impl Generator {
    /// Returns the name of the component that describes a failure.
    pub(super) fn failure(&mut self, failure: FailureResponse, common: &[HeaderObject]) -> String {
        if let Some(name) = self.failures.known(&failure, common) {
            return name.to_owned();
        }
        let mut response = ResponseObject::new(failure.status);
        response.description = Some(description(&failure));
        response.headers = failure.headers.iter().map(|header| OrReference::Inline(self.header(header))).collect();
        header::add(&mut response, &self.common_headers(common));
        response.content.push(self.problem(&failure));
        let own = common.iter().filter(|header| !self.failures.headers_of_all.contains(&header.name));
        let name = self.free_name(name(&failure, own));
        self.components.responses.get_or_insert_with(&name, || response);
        let component = FailureComponent { name: name.clone(), common: common.to_vec(), failure };
        self.failures.rendered.push(component);
        name
    }

    /// Appends a number where one code has two statuses, or is described in two ways.
    fn free_name(&self, name: String) -> String {
        let taken = |name: &String| self.components.responses.get(name).is_some();
        if !taken(&name) {
            return name;
        }
        (2_u64..).map(|number| format!("{name}-{number}")).find(|name| !taken(name)).unwrap_or(name)
    }

    fn problem(&self, failure: &FailureResponse) -> MediaTypeObject<Value> {
        if let Some(media_type) = self.failures.own_media_type {
            // Where such a body has the code is not known.
            return MediaTypeObject::new(media_type).schema(self.failures.problem.clone());
        }
        let codes: Vec<_> = failure.kinds.iter().map(|kind| &kind.code).collect();
        let status = failure.status.as_u16();
        let narrowed = json!({ "properties": { "status": { "const": status }, "code": { "enum": codes } } });
        MediaTypeObject::new(Problem::MEDIA_TYPE).schema(json!({ "allOf": [self.failures.problem, narrowed] }))
    }
}

/// Returns `NotFound` for `not_found`. Several codes are joined, and headers that not all operations have are added.
fn name<'h>(failure: &FailureResponse, own: impl Iterator<Item = &'h HeaderObject>) -> String {
    let codes: Vec<_> = failure.kinds.iter().map(|kind| pascal_case(&kind.code)).collect();
    let headers = own.map(|header| pascal_case(&header.name)).collect::<String>();
    let with = if headers.is_empty() { "" } else { "With" };
    format!("{}{with}{headers}", codes.join("Or"))
}

fn pascal_case(code: &str) -> String {
    let words = code.split(|character: char| !character.is_ascii_alphanumeric());
    words.fold(String::new(), |mut name, word| {
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
        name
    })
}

fn description(failure: &FailureResponse) -> String {
    let lines = failure.kinds.iter().map(|kind| format!("- {}", explained(kind)));
    match failure.kinds.as_slice() {
        [kind] => explained(kind),
        _ => format!("{}:\n\n{}", reason(failure.status), lines.collect::<Vec<_>>().join("\n")),
    }
}

fn explained(kind: &ProblemKind) -> String {
    match &kind.description {
        Some(description) => format!("`{}` ({}): {description}", kind.code, kind.title),
        None => format!("`{}`: {}.", kind.code, kind.title),
    }
}

/// Returns the meaning of a status (RFC 9110, section 15).
pub(super) fn reason(status: StatusCode) -> String {
    status.canonical_reason().map_or_else(|| format!("Status {}", status.as_str()), str::to_owned)
}
