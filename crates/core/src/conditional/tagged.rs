//! Defines [`Tagged`], a response with an entity tag.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH};
use http::{Method, StatusCode};
use restwright_schema::SchemaObject;

use super::EntityTag;
use super::entity_tag::{LIST, TagList};
use super::preconditions::header;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse, Payload};
use crate::operation::{HeaderObject, Operation, ParameterLocation, SchemaUse};
use crate::problem::{Problem, RequestViolations, Result, ViolationLocation, catalogue};
use crate::response::Response;

/// A response with an `ETag` header. On `GET` and `HEAD` it also evaluates `If-Match` and `If-None-Match`.
///
/// On `GET` and `HEAD`, the preconditions of the request are compared with the tag (RFC 9110, section 13.2.2). If
/// `If-None-Match` contains the tag, in any content coding, the response is a 304 without a body and with the client's
/// tag. If `If-Match` does not contain the tag, the response is a 412. An `If-Match` that is not a list of tags is a
/// violation. Such an `If-None-Match` is ignored, so the client receives the whole response (section 13.1.2).
///
/// Requests that change a resource use [`Preconditions`](super::Preconditions), which are checked before the change.
///
/// ```
/// use restwright_core::conditional::{EntityTag, Tagged};
/// use restwright_core::{Data, Route};
///
/// let view = Route::get("/pets/7")
///     .id("viewPet")
///     .public()
///     .handler(async |_: ()| Ok(Tagged::new(EntityTag::strong(3), Data("Rex"))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged<R> {
    tag: EntityTag,
    response: R,
}

impl<R> Tagged<R> {
    /// Creates a response with an entity tag.
    #[must_use]
    pub fn new(tag: EntityTag, response: R) -> Self {
        Self { tag, response }
    }
}

impl<R: Response> Response for Tagged<R> {
    type Plan = R::Plan;

    fn plan(context: &mut BuildContext<'_>) -> Result<R::Plan, BuildErrors> {
        R::plan(context)
    }

    fn describe(plan: &R::Plan, operation: &mut Operation) {
        R::describe(plan, operation);
        describe_tag(operation);
    }

    fn respond(self, plan: &R::Plan, request: &HttpRequest) -> Result<HttpResponse> {
        let response = self.response.respond(plan, request)?;
        respond_with_tag(&self.tag, request, response)
    }
}

/// Adds an `ETag` header to the successful responses of an operation. On `GET` it also documents `If-Match`,
/// `If-None-Match`, 304 and 412. Use it in a middleware that calls [`respond_with_tag`].
pub fn describe_tag(operation: &mut Operation) {
    let tag = || {
        HeaderObject::new("ETag", SchemaUse::output(SchemaObject::string()))
            .description("The tag of the state in the response.")
    };
    let statuses: Vec<_> = operation.inline_responses().map(|response| response.status).collect();
    for status in statuses.into_iter().filter(StatusCode::is_success) {
        operation.response(status).add_header(tag());
    }
    if operation.method == Method::GET {
        for (name, is_checked, description) in [
            ("If-Match", true, "Returns 412 if none of these tags is the current tag."),
            (
                "If-None-Match",
                false,
                "Returns 304 if one of these tags is the current tag. A malformed value is ignored.",
            ),
        ] {
            if operation.parameter(ParameterLocation::Header, name).is_none() {
                let text = SchemaObject::string();
                let schema = if is_checked { text.pattern(LIST) } else { text };
                operation.parameters.push(header(name, schema, description));
            }
        }
        operation.add_problem(catalogue::PRECONDITION_FAILED);
        let response = operation.response(StatusCode::NOT_MODIFIED);
        response.description = Some("The client already has the current state.".to_owned());
        response.add_header(tag());
    }
}

/// Adds an entity tag to a successful response. On `GET` and `HEAD` it also checks the preconditions of the request, as
/// described for [`Tagged`].
///
/// # Errors
/// 412 if `If-Match` does not contain the tag. 422 if `If-Match` is malformed.
pub fn respond_with_tag(tag: &EntityTag, request: &HttpRequest, mut response: HttpResponse) -> Result<HttpResponse> {
    if !response.status().is_success() {
        return Ok(response);
    }
    response.insert_header(ETAG, tag.to_header_value());
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Ok(response);
    }
    let mut violations = RequestViolations::new(1);
    let if_match = TagList::read(request, &IF_MATCH).and_then(|tags| {
        tags.map_err(|malformed| violations.push(ViolationLocation::Header, malformed.violation("If-Match"))).ok()
    });
    violations.into_result()?;
    if if_match.is_some_and(|tags| !tags.names(Some(tag), EntityTag::matches)) {
        return Err(Problem::new(catalogue::PRECONDITION_FAILED)
            .detail("`If-Match` does not match the current state.")
            .detail_key("precondition_failed.if_match"));
    }
    if let Some(Ok(tags)) = TagList::read(request, &IF_NONE_MATCH)
        && let Some(known) = tags.find(tag, EntityTag::matches_weakly)
    {
        // The client has cached the state in this coding and finds it by this tag (RFC 9111, section 4.3.4).
        response.insert_header(ETAG, tag.in_coding_of(known).to_header_value());
        set_not_modified(&mut response);
    }
    Ok(response)
}

/// Turns a response into a 304 (RFC 9110, section 15.4.5). Removes the payload and the headers that describe it.
pub fn set_not_modified(response: &mut HttpResponse) {
    response.set_status(StatusCode::NOT_MODIFIED);
    response.set_payload(Payload::default());
    for name in [CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE] {
        response.headers_mut().remove(name);
    }
}
