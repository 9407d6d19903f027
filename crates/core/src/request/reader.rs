//! Defines [`Reader`], which reads the parts and the body of a request.

use restwright_schema::{Code, CompiledSchema, ReadError, Violation, pointer_to};

use super::declared_query::DeclaredQuery;
use crate::body::{JsonPlan, ReadBody};
use crate::http::header::CONTENT_TYPE;
use crate::http::{HttpRequest, IncomingBody, Query};
use crate::part::{HiddenParameters, ParameterPlan, ParameterValue, Part, RequestHead, SharedValues};
use crate::problem::{Problem, RequestViolations, Result, ViolationLocation, catalogue};

/// Reads the parts and the body of one request, and collects their violations.
#[derive(Debug)]
pub struct Reader<'r> {
    request: &'r HttpRequest,
    query: &'r Query,
    shared: SharedValues,
    body: IncomingBody,
    violations: RequestViolations,
}

impl<'r> Reader<'r> {
    // Takes the body out of the request and parses its query.
    #[doc(hidden)]
    #[inline]
    pub fn new(request: &'r mut HttpRequest, limit: usize) -> Result<Self> {
        let body = request.body_mut().move_out();
        let request = &*request;
        let query = request.parsed_query()?;
        Ok(Self { request, query, shared: SharedValues::default(), body, violations: RequestViolations::new(limit) })
    }

    /// Reads a parameter of the request. If the value is invalid, collects the violations and returns `None`.
    pub fn parameter<T: ParameterValue>(&mut self, plan: &ParameterPlan<T>) -> Option<T> {
        plan.read(&RequestHead::new(self.request, self.query, &self.shared), &mut self.violations)
    }

    /// Reads a part of the request. If the part is invalid, collects the violations and returns `None`.
    pub fn part<P: Part>(&mut self, plan: &P::Plan) -> Option<P> {
        P::read(plan, &RequestHead::new(self.request, self.query, &self.shared), &mut self.violations)
    }

    /// Reads the body of the request. If the content is invalid, collects the violations and returns `None`.
    ///
    /// # Errors
    /// The problems of a body that cannot be read: 400, 408, 413, 415. A repeated `Content-Type` is a 400.
    pub async fn body<B: ReadBody>(&mut self, plan: &B::Plan) -> Result<Option<B>> {
        check_content_type(self.request)?;
        B::read(plan, &RequestHead::new(self.request, self.query, &self.shared), &mut self.body, &mut self.violations)
            .await
    }

    /// Reads a JSON body with the function `read`. See [`JsonPlan::read`].
    ///
    /// # Errors
    /// The errors of [`body`](Self::body).
    pub async fn json<T>(
        &mut self,
        plan: &JsonPlan,
        read: impl FnOnce(&CompiledSchema, &[u8], usize) -> Result<T, ReadError>,
    ) -> Result<Option<T>> {
        check_content_type(self.request)?;
        plan.read(&RequestHead::new(self.request, self.query, &self.shared), &mut self.body, &mut self.violations, read)
            .await
    }

    /// Returns the head of the request and the collected violations, for requests that read parts from the body. See
    /// [`RequestHead::with_body_parameters`].
    pub fn head(&mut self) -> (RequestHead<'_>, &mut RequestViolations) {
        (RequestHead::new(self.request, self.query, &self.shared), &mut self.violations)
    }

    /// Returns a mutable reference to the collected violations.
    pub fn violations(&mut self) -> &mut RequestViolations {
        &mut self.violations
    }

    // Returns a 422 if anything was reported. With `strict`, undeclared query parameters are reported too.
    #[doc(hidden)]
    #[inline]
    pub fn finish(&mut self, strict: bool) -> Result<()> {
        if strict {
            self.report_undeclared();
        }
        if self.violations.is_empty() {
            return Ok(());
        }
        std::mem::replace(&mut self.violations, RequestViolations::new(0)).into_result()
    }

    fn report_undeclared(&mut self) {
        let head = RequestHead::new(self.request, self.query, &self.shared);
        let declared = DeclaredQuery::of(self.request, |name| !HiddenParameters::contain(&head, name));
        let undeclared = self.query.unclaimed().filter(|name| !self.request.claims_query(name));
        for (index, name) in undeclared.filter(|name| !declared.contains(name)).enumerate() {
            let closest = if index < MOST_PROPOSALS { declared.closest(name) } else { None };
            let violation = undeclared_parameter(name, closest);
            self.violations.push(ViolationLocation::Query, violation);
        }
    }
}

/// Rejects a repeated `Content-Type`, because a proxy and this server may use different values (RFC 9110, section 8.3).
fn check_content_type(request: &HttpRequest) -> Result<()> {
    if !request.is_repeated(&CONTENT_TYPE) {
        return Ok(());
    }
    Err(Problem::new(catalogue::MALFORMED_REQUEST)
        .detail("The header `Content-Type` must appear only once.")
        .detail_key("malformed_request.repeated")
        .detail_param("header", "Content-Type"))
}

/// The maximum number of undeclared parameters for which an error suggests a declared name.
const MOST_PROPOSALS: usize = 8;

fn undeclared_parameter(name: &str, closest: Option<&str>) -> Violation {
    let violation = |message: String| Violation::new(pointer_to(name), Code::UNKNOWN_PROPERTY, message);
    match closest {
        Some(closest) => violation(format!("is not a known query parameter; did you mean `{closest}`?"))
            .param("closest", closest.to_owned()),
        None => violation("is not a known query parameter".to_owned()),
    }
}
