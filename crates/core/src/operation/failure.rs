//! Collects the error responses of an operation by status.

use http::{Method, StatusCode};
use restwright_schema::SchemaObject;

use super::{HeaderObject, Operation, OrReference, SchemaUse};
use crate::problem::{ProblemKind, catalogue};

/// The error response of an operation for one status.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FailureResponse {
    /// The status of the response. A custom [error form](crate::problem::ErrorForm) can change the status of a kind of
    /// problem.
    pub status: StatusCode,
    /// The kinds of problem that are sent with this status, ordered by code.
    pub kinds: Vec<ProblemKind>,
    /// The headers of the response, without the [common headers](Operation::common_headers) of the operation.
    pub headers: Vec<HeaderObject>,
}

impl FailureResponse {
    /// Returns the name of the OpenAPI component for this response, such as `NotFound`.
    ///
    /// The component of its schema has the same name with the suffix `Problem`, such as `NotFoundProblem`.
    ///
    /// The name consists of the application's own problem codes, such as `AnimalNotFound`. Several codes are joined
    /// with `Or`. If there are no such codes, or if the name of the schema would have more than 40 characters, the name
    /// of the status is used.
    ///
    /// ```
    /// use restwright_core::http::{Method, StatusCode};
    /// use restwright_core::operation::Operation;
    /// use restwright_core::problem::{ProblemKind, catalogue};
    ///
    /// let mut operation = Operation::new("adopt", Method::POST, "/animals/{id}/adoption");
    /// operation.add_problem(ProblemKind::new(StatusCode::NOT_FOUND, "animal_not_found", "Animal not found"));
    /// operation.add_problem(catalogue::CONFLICT);
    /// operation.add_problem(catalogue::IDEMPOTENCY_IN_PROGRESS);
    /// let names: Vec<_> = operation.failures().iter().map(|failure| failure.component_name()).collect();
    /// assert_eq!(names, ["AnimalNotFound", "Conflict"]);
    /// ```
    #[must_use]
    pub fn component_name(&self) -> String {
        let own = self.kinds.iter().filter(|kind| catalogue::ALL.iter().all(|known| known.code != kind.code));
        let own: Vec<_> = own.map(|kind| pascal_case(&kind.code)).collect();
        let name = own.join("Or");
        if name.is_empty() || name.len() > LONGEST_NAME { name_of_status(self.status) } else { name }
    }
}

/// The maximum length of a component name in characters. With the suffix `Problem` it has at most 40 characters.
const LONGEST_NAME: usize = 33;

/// Returns the OpenAPI component name for the framework's error responses with this status, such as `NotFound`.
fn name_of_status(status: StatusCode) -> String {
    let only = match status {
        StatusCode::UNAUTHORIZED => catalogue::UNAUTHENTICATED,
        StatusCode::PAYLOAD_TOO_LARGE => catalogue::BODY_TOO_LARGE,
        StatusCode::URI_TOO_LONG => catalogue::TARGET_TOO_LONG,
        StatusCode::UNPROCESSABLE_ENTITY => catalogue::INVALID_REQUEST,
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => catalogue::HEAD_TOO_LARGE,
        StatusCode::INTERNAL_SERVER_ERROR => catalogue::INTERNAL,
        other => return other.canonical_reason().map_or_else(|| format!("Status{}", other.as_u16()), pascal_case),
    };
    pascal_case(&only.code)
}

fn pascal_case(words: &str) -> String {
    let words = words.split(|character: char| !character.is_ascii_alphanumeric());
    words.fold(String::new(), |mut name, word| {
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
        name
    })
}

impl Operation {
    /// Returns the error responses, ordered by status.
    #[must_use]
    pub fn failures(&self) -> Vec<FailureResponse> {
        let status = |kind: &ProblemKind| self.error_form.as_ref().map_or(kind.status, |form| form.status(kind));
        let mut kinds: Vec<_> = self.problems.iter().map(|kind| (status(kind), kind)).collect();
        kinds.sort_by(|(one, kind), (other, known)| (one, &kind.code).cmp(&(other, &known.code)));
        // The first of several kinds with one code is kept.
        kinds.dedup_by(|(one, kind), (other, known)| (one, &kind.code) == (other, &known.code));
        let mut failures: Vec<FailureResponse> = Vec::new();
        for (status, kind) in kinds {
            match failures.last_mut() {
                Some(last) if last.status == status => last.kinds.push(kind.clone()),
                _ => failures.push(FailureResponse { status, kinds: vec![kind.clone()], headers: Vec::new() }),
            }
        }
        for failure in &mut failures {
            failure.headers = headers(&self.method, &failure.kinds);
            let is_new = |header: &HeaderObject| self.common_headers.iter().all(|known| known.name != header.name);
            failure.headers.extend(language_headers(&self.languages).into_iter().filter(is_new));
        }
        failures
    }

    /// Adds `Content-Language` and `Vary` to the success responses if the Api declares languages.
    #[doc(hidden)]
    pub fn add_language_headers(&mut self) {
        let headers = language_headers(&self.languages);
        for response in self.responses.iter_mut().filter_map(OrReference::inline_mut) {
            headers.iter().for_each(|header| response.add_header(header.clone()));
        }
    }
}

/// Returns the headers of an error response that contains one of these kinds of problem. If the kinds have different
/// statuses, the headers are optional.
fn headers(method: &Method, kinds: &[ProblemKind]) -> Vec<HeaderObject> {
    let mut statuses: Vec<_> = kinds.iter().map(|kind| kind.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let mut headers: Vec<HeaderObject> = Vec::new();
    for status in &statuses {
        for header in headers_of(*status, method, kinds) {
            let header = if statuses.len() > 1 { header.optional() } else { header };
            if !headers.iter().any(|known| known.name == header.name) {
                headers.push(header);
            }
        }
    }
    headers
}

/// Returns the headers of an error response with this status and one of these kinds of problem.
fn headers_of(status: StatusCode, method: &Method, kinds: &[ProblemKind]) -> Vec<HeaderObject> {
    match status {
        StatusCode::UNAUTHORIZED => vec![
            HeaderObject::new("WWW-Authenticate", SchemaUse::output(SchemaObject::string()))
                .description("The accepted authentication schemes (RFC 9110, section 11.6.1)."),
        ],
        // A 403 includes the header only if a scope is missing, not if a policy or the application denies the request.
        StatusCode::FORBIDDEN => vec![
            HeaderObject::new("WWW-Authenticate", SchemaUse::output(SchemaObject::string()))
                .description("The missing scope (RFC 6750, section 3.1).")
                .optional(),
        ],
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => vec![retry_after()],
        // A 409 from the application is stored under the idempotency key and replayed.
        StatusCode::CONFLICT if kinds.contains(&catalogue::IDEMPOTENCY_IN_PROGRESS) => {
            vec![retry_after(), idempotency_replayed()]
        }
        StatusCode::UPGRADE_REQUIRED => [
            ("Upgrade", "The required protocol, `websocket` (RFC 9110, section 7.8)."),
            ("Sec-WebSocket-Version", "The supported version of the protocol (RFC 6455, section 4.4)."),
        ]
        .map(|(name, description)| {
            HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).description(description).optional()
        })
        .into(),
        // An application can return the status without the length.
        StatusCode::RANGE_NOT_SATISFIABLE => vec![
            HeaderObject::new("Content-Range", SchemaUse::output(SchemaObject::string()))
                .description("The length of the content, such as `bytes */1000` (RFC 9110, section 14.4).")
                .optional(),
        ],
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let bodies = if method == Method::PATCH {
                ("Accept-Patch", "The accepted media types of changes (RFC 5789, section 3.1).")
            } else {
                ("Accept", "The accepted media types of bodies (RFC 9110, section 12.5.1).")
            };
            let codings = kinds
                .contains(&catalogue::UNSUPPORTED_CODING)
                .then_some(("Accept-Encoding", "The accepted content codings of bodies (RFC 9110, section 12.5.3)."));
            let header = |(name, description): (&str, &str)| {
                HeaderObject::new(name, SchemaUse::output(SchemaObject::string())).description(description).optional()
            };
            std::iter::once(bodies).chain(codings).map(header).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the headers `Content-Language` and `Vary` of responses in these languages. Returns no headers if the list is
/// empty.
fn language_headers(languages: &[String]) -> Vec<HeaderObject> {
    if languages.is_empty() {
        return Vec::new();
    }
    vec![
        HeaderObject::new("Content-Language", SchemaUse::output(SchemaObject::string()))
            .description(format!("The language of the response: {}.", languages.join(", "))),
        HeaderObject::new("Vary", SchemaUse::output(SchemaObject::string()))
            .description("The request headers that the response depends on."),
    ]
}

/// Returns the OpenAPI description of the response header `Cache-Control`.
#[must_use]
pub fn cache_control() -> HeaderObject {
    HeaderObject::new("Cache-Control", SchemaUse::output(SchemaObject::string()))
        .description("The caches that may store the response, and for how long.")
}

fn retry_after() -> HeaderObject {
    HeaderObject::new("Retry-After", SchemaUse::output(SchemaObject::int64().minimum(0)))
        .description("The number of seconds to wait before a retry.")
        .optional()
}

/// Returns the OpenAPI description of the response header `Idempotency-Replayed`.
#[must_use]
pub fn idempotency_replayed() -> HeaderObject {
    HeaderObject::new("Idempotency-Replayed", SchemaUse::output(SchemaObject::boolean()))
        .description("`true` if this is the response to an earlier request with the same `Idempotency-Key`.")
        .optional()
}
