//! Defines [`Problem`], an error that is sent to the client as a response.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use http::header::{IntoHeaderName, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use restwright_schema::{BagError, Violation, Violations};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::{DETAILS, ProblemKind, RequestViolation, RequestViolations, ViolationLocation, catalogue};

/// A `Result` with [`Problem`] as the default error type.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// An error that is sent to the client, by default as `application/problem+json` (RFC 9457).
///
/// The response contains `detail`, the members and the violations. The log contains the source, under the same request
/// id.
/// ```
/// use restwright_core::Problem;
/// use restwright_core::problem::catalogue;
///
/// let problem = Problem::new(catalogue::NOT_FOUND).detail("There is no pet 7.");
/// assert_eq!(problem.status(), 404);
/// ```
pub struct Problem(Box<ProblemParts>);

/// The fields of a [`Problem`]. The runtime creates the response from these fields.
#[derive(Debug)]
pub struct ProblemParts {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// The detail, which explains this occurrence of the problem to the client.
    pub detail: Option<String>,
    /// The translation key of the detail. If it is `None`, the key is the code of the problem.
    pub detail_key: Option<&'static str>,
    /// The values of the placeholders in translations of the detail.
    pub detail_params: Vec<(Cow<'static, str>, Value)>,
    /// The extension members (RFC 9457, section 3.2).
    pub members: Map<String, Value>,
    /// The violations of the request, each with its location.
    pub violations: Vec<RequestViolation>,
    headers: HeaderMap,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Problem {
    /// The default media type of problems.
    pub const MEDIA_TYPE: &'static str = "application/problem+json";

    /// Creates a problem of this kind.
    #[must_use]
    pub fn new(kind: ProblemKind) -> Self {
        Self(Box::new(ProblemParts {
            kind,
            detail: None,
            detail_key: None,
            detail_params: Vec::new(),
            members: Map::new(),
            violations: Vec::new(),
            headers: HeaderMap::new(),
            source: None,
        }))
    }

    /// Creates a 500 problem. The cause is logged, but not sent to the client.
    #[must_use]
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(catalogue::INTERNAL).source(source)
    }

    /// Creates a 404 problem. `detail` is an explanation for the client.
    #[must_use]
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(catalogue::NOT_FOUND).detail(detail)
    }

    /// Creates a 503 problem for an unavailable dependency. The cause is logged, but not sent to the client.
    #[must_use]
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(catalogue::UNAVAILABLE).source(source).retry_after(1)
    }

    /// Sets the detail, which explains this occurrence of the problem to the client.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Sets the value of a placeholder in translations of the detail. The value is not sent as a member of the problem.
    #[must_use]
    pub fn detail_param(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.0.detail_params.push((name.into(), value.into()));
        self
    }

    /// Adds an extension member (RFC 9457, section 3.2). A member with the name of a standard member is ignored.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        if !STANDARD_MEMBERS.contains(&name.as_str()) {
            self.0.members.insert(name, value.into());
        }
        self
    }

    /// Adds violations of the request to the problem.
    #[must_use]
    pub fn violations(mut self, violations: impl IntoIterator<Item = RequestViolation>) -> Self {
        self.0.violations.extend(violations);
        self
    }

    /// Prepends `pointer` to the JSON Pointer of each violation in the body.
    ///
    /// Use this method if the body contains several entities.
    ///
    /// ```
    /// use restwright_core::Problem;
    /// use restwright_core::schema::{Code, Violation, Violations};
    ///
    /// let problem = Problem::from(Violations::one(Violation::new("/name", Code::INVALID, "is taken"))).below("/data/3");
    /// assert!(format!("{problem:?}").contains("/data/3/name"));
    /// ```
    #[must_use]
    pub fn below(self, pointer: &str) -> Self {
        self.map_violations(|mut violation| {
            violation.pointer.insert_str(0, pointer);
            violation
        })
    }

    /// Replaces each violation in the request body with the result of a function.
    #[must_use]
    pub fn map_violations(mut self, mut change: impl FnMut(Violation) -> Violation) -> Self {
        let in_body = |one: &&mut RequestViolation| one.location == ViolationLocation::Body;
        for one in self.0.violations.iter_mut().filter(in_body) {
            one.violation = change(one.violation.clone());
        }
        self
    }

    /// Sets a header of the response and replaces its previous values.
    #[must_use]
    pub fn header(mut self, name: impl IntoHeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// Appends a header to the response and keeps its previous values.
    #[must_use]
    pub fn append_header(mut self, name: impl IntoHeaderName, value: HeaderValue) -> Self {
        self.0.headers.append(name, value);
        self
    }

    /// Sets `Retry-After` to a number of seconds (RFC 9110, section 10.2.3).
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        self
    }

    /// Sets the error that caused the problem. The error is logged, but not sent to the client.
    #[must_use]
    pub fn source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Returns the status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.kind.status
    }

    /// Returns the stable code of the kind of problem, such as `not_found`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.kind.code
    }
}

/// Contains methods that only the framework calls.
#[doc(hidden)]
impl Problem {
    /// Sets the translation key of the detail. The key must be listed in `DETAILS`.
    #[must_use]
    pub fn detail_key(mut self, key: &'static str) -> Self {
        debug_assert!(DETAILS.iter().any(|(known, _)| *known == key), "{key} is not in the table of details");
        self.0.detail_key = Some(key);
        self
    }

    #[must_use]
    pub fn parts(&self) -> &ProblemParts {
        &self.0
    }

    #[must_use]
    pub fn parts_mut(&mut self) -> &mut ProblemParts {
        &mut self.0
    }

    #[must_use]
    pub fn take_headers(&mut self) -> HeaderMap {
        std::mem::take(&mut self.0.headers)
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Problem")
            .field("status", &self.status())
            .field("code", &self.code())
            .field("detail", &self.0.detail)
            .field("violations", &self.0.violations)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.detail.as_deref().unwrap_or(&self.0.kind.title);
        write!(formatter, "{} {}: {text}", self.status().as_u16(), self.code())
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// Converts violations to a 422 problem with the location `body`. Use it for checks that run after the request is read,
/// such as checks of an entity with its changes applied.
impl From<Violations> for Problem {
    fn from(violations: Violations) -> Self {
        let mut found = RequestViolations::new(violations.len().max(1));
        found.extend(ViolationLocation::Body, "", violations);
        found.into_result().err().unwrap_or_else(|| Self::new(catalogue::INVALID_REQUEST))
    }
}

/// Converts a [`BagError`], such as a wrong property type, to a 500 problem. It is a server error, because the
/// application declared the schema.
impl From<BagError> for Problem {
    fn from(error: BagError) -> Self {
        Self::internal(error)
    }
}

const STANDARD_MEMBERS: [&str; 8] = ["type", "title", "status", "detail", "instance", "code", "request_id", "errors"];

impl Serialize for RequestViolation {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("in", &self.location)?;
        map.serialize_entry("pointer", &self.violation.pointer)?;
        map.serialize_entry("code", self.violation.code.as_str())?;
        map.serialize_entry("message", &self.violation.message)?;
        map.serialize_entry("params", &self.violation.params)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use http::header::WWW_AUTHENTICATE;

    use super::*;

    #[test]
    fn replaces_a_header_unless_it_is_appended() {
        let value = HeaderValue::from_static;
        let set = |problem: Problem| problem.header(WWW_AUTHENTICATE, value("Basic")).header(RETRY_AFTER, value("2"));
        let mut problem = set(set(Problem::not_found("")).retry_after(1));
        problem = problem.append_header(WWW_AUTHENTICATE, value("Bearer"));
        let headers = problem.take_headers();
        let all = |name| headers.get_all(name).iter().collect::<Vec<_>>();
        assert_eq!(all(WWW_AUTHENTICATE), ["Basic", "Bearer"]);
        assert_eq!(all(RETRY_AFTER), ["2"]);
    }
}
