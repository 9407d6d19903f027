//! Defines [`TestResponse`], a response that the test client received, and its assertions.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use restwright_runtime::Api;
use restwright_runtime::core::Problem;
use restwright_runtime::core::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use restwright_runtime::core::http::{HeaderMap, HeaderValue, HttpResponse, Method, Payload, StatusCode};
use restwright_runtime::core::problem::{ProblemKind, catalogue};
use restwright_runtime::core::runtime::FormedProblem;
use restwright_runtime::core::runtime::SharedErrorForm;
use restwright_runtime::core::schema::Registry;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::violation::TestViolation;

/// A response that the test client received, with its body in memory.
///
/// Every failed assertion panics with the whole response in its message. The message also contains the logged cause of
/// a server error. Assertions return the response, so they can be chained.
pub struct TestResponse {
    pub(crate) api: Api,
    pub(crate) registry: Rc<RefCell<Registry>>,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The original problem, if the application sends problems in a custom error format.
    pub(crate) formed_problem: Option<FormedProblem>,
    cut_off: Option<String>,
    cause: Option<String>,
}

impl TestResponse {
    pub(crate) async fn receive(
        api: Api,
        registry: Rc<RefCell<Registry>>,
        method: Method,
        path: String,
        response: HttpResponse,
    ) -> Self {
        let cause = response.cause().map(str::to_owned);
        let formed_problem = response.formed_problem().cloned();
        let (status, headers, payload) = response.into_parts();
        let (body, cut_off) = (Bytes::new(), None);
        let mut received = Self { api, registry, method, path, status, headers, body, formed_problem, cut_off, cause };
        match payload {
            Payload::Bytes(bytes) => received.body = bytes,
            Payload::Omitted(length) => {
                received.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
            }
            Payload::Stream(mut pieces) | Payload::SizedStream(_, mut pieces) => {
                let mut body = BytesMut::new();
                while let Some(piece) = poll_fn(|context| pieces.as_mut().poll_next(context)).await {
                    match piece {
                        Ok(bytes) => body.extend_from_slice(&bytes),
                        Err(error) => received.cut_off = Some(error.to_string()),
                    }
                    if received.cut_off.is_some() {
                        break;
                    }
                }
                received.body = body.freeze();
            }
            // The messages of another protocol are outside the body.
            _ => {}
        }
        received
    }

    /// Returns the status code.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the first value of a header. Returns `None` if the header is missing or is not visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// Returns the error that ended a streamed body early, or `None`. On a socket, the server would close the
    /// connection at this error.
    #[must_use]
    pub fn cut_off(&self) -> Option<&str> {
        self.cut_off.as_deref()
    }

    /// Returns the logged causes of a server error (5xx). Clients do not see them.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// Returns the body as a string.
    ///
    /// # Panics
    /// Panics if the body is not UTF-8.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        match std::str::from_utf8(&self.body) {
            Ok(text) => text,
            Err(error) => self.fail(&format!("the body is not UTF-8: {error}")),
        }
    }

    /// Parses the body as JSON.
    ///
    /// # Panics
    /// Panics if the body is not JSON, or does not match the type.
    #[must_use]
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => self.fail(&format!("the body cannot be read as {}: {error}", std::any::type_name::<T>())),
        }
    }

    /// Returns the violations of a problem response. Custom error formats are supported.
    ///
    /// # Panics
    /// Panics if the body is not JSON.
    #[must_use]
    #[track_caller]
    pub fn violations(&self) -> Vec<TestViolation> {
        if let Some(problem) = &self.formed_problem {
            return problem.violations.iter().map(TestViolation::from).collect();
        }
        let errors = self.json::<Value>().get_mut("errors").map(Value::take).unwrap_or(Value::Array(Vec::new()));
        match serde_json::from_value(errors) {
            Ok(violations) => violations,
            Err(error) => self.fail(&format!("`errors` is not a list of violations: {error}")),
        }
    }

    /// Asserts that the response has this status.
    ///
    /// # Panics
    /// Panics if the status differs.
    #[track_caller]
    pub fn assert_status(&self, status: u16) -> &Self {
        if self.status.as_u16() != status {
            self.fail(&format!("the status is {}, not {status}", self.status.as_u16()));
        }
        self
    }

    /// Asserts that the first value of a header equals `value`.
    ///
    /// # Panics
    /// Panics if the header is missing or has another value.
    #[track_caller]
    pub fn assert_header(&self, name: &str, value: &str) -> &Self {
        if self.header(name) != Some(value) {
            self.fail(&format!("the header `{name}` is {:?}, not {value:?}", self.header(name).unwrap_or("missing")));
        }
        self
    }

    /// Asserts that the body equals this JSON. The order of properties does not matter.
    ///
    /// # Panics
    /// Panics if the body differs.
    #[track_caller]
    pub fn assert_json(&self, expected: &Value) -> &Self {
        let found = self.json::<Value>();
        if found != *expected {
            self.fail(&format!("the body is not {expected:#}"));
        }
        self
    }

    /// Asserts that the response is a problem with this code. Custom error formats are supported.
    ///
    /// In a custom error form, a stored problem that an idempotency key repeats is not recognised.
    ///
    /// # Panics
    /// Panics if the response is not a problem, or has another code.
    #[track_caller]
    pub fn assert_problem(&self, code: &str) -> &Self {
        let standard = match self.header(CONTENT_TYPE.as_str()) {
            Some(Problem::MEDIA_TYPE) if self.formed_problem.is_none() => self.json::<Value>(),
            _ => Value::Null,
        };
        let found = match &self.formed_problem {
            Some(problem) => &problem.kind.code,
            None if standard.is_null() => self.fail("the response is not a problem"),
            None => standard.get("code").and_then(Value::as_str).unwrap_or_default(),
        };
        if found != code {
            self.fail(&format!("the problem is `{found}`, not `{code}`"));
        }
        self
    }

    /// Asserts that the response contains exactly these violations, in any order. Each tuple contains the part of the request, the pointer
    /// and the code.
    ///
    /// The status must be 422. A custom error format may use another status.
    ///
    /// # Panics
    /// Panics if the status or the violations differ.
    #[track_caller]
    pub fn assert_violations<const N: usize>(&self, expected: [(&str, &str, &str); N]) -> &Self {
        self.assert_status(self.status_of(&catalogue::INVALID_REQUEST).as_u16());
        let violations = self.violations();
        let mut found: Vec<_> =
            violations.iter().map(|one| (one.location.as_str(), one.pointer.as_str(), one.code.as_str())).collect();
        let mut expected = Vec::from(expected);
        found.sort_unstable();
        expected.sort_unstable();
        if found != expected {
            self.fail(&format!("the violations are not {expected:?} but {found:?}"));
        }
        self
    }

    pub(crate) fn error_form(&self) -> Option<&SharedErrorForm> {
        self.api.configuration().configured_error_form()
    }

    /// Returns the status code that the application uses for this problem kind.
    pub(crate) fn status_of(&self, kind: &ProblemKind) -> StatusCode {
        self.error_form().map_or(kind.status, |form| form.status(kind))
    }

    #[expect(clippy::panic, reason = "assertions of tests panic")]
    #[track_caller]
    pub(crate) fn fail(&self, what: &str) -> ! {
        panic!("{what}\n\n{self:?}\n")
    }
}

/// Formats the response like an HTTP message. A long body is shortened.
impl fmt::Debug for TestResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} {} returned {}", self.method, self.path, self.status)?;
        for (name, value) in &self.headers {
            writeln!(formatter, "{name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
        }
        let text = String::from_utf8_lossy(&self.body);
        let shown: String = text.chars().take(2_000).collect();
        let rest = if shown.len() < text.len() { ".." } else { "" };
        write!(formatter, "\n{shown}{rest}")?;
        match &self.cause {
            Some(cause) => write!(formatter, "\n\ncause, which the client does not see: {cause}"),
            None => Ok(()),
        }
    }
}
