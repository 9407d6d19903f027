//! Adds `Cache-Control` and `ETag` to responses.

use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderValue, Method, StatusCode};
use restwright_runtime::core::conditional::{EntityTag, describe_tag, respond_with_tag};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::route::SameForAllCallers;
use restwright_runtime::core::runtime::cache_control;
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};
use sha2::{Digest, Sha256};

/// A middleware that sets `Cache-Control` on successful responses to `GET` and `HEAD` (RFC 9111). Register it on a
/// route, a group or the Api.
///
/// A response that already has `Cache-Control` keeps it, so the innermost middleware takes precedence. On a route that is
/// not public, the value must contain `private`, `no-cache` or `no-store`, and neither `public` nor `s-maxage`. Otherwise
/// building the Api fails, because shared caches would serve responses to other callers. A route with the setting
/// [`SameForAllCallers`] may have any value.
///
/// Without this middleware, a response of a route that is not public has `private, no-cache` if it has an `ETag`, else
/// `no-store`.
///
/// ```
/// use restwright_production::Caching;
/// use restwright_runtime::core::{Data, Route};
///
/// let rates = Route::get("/rates")
///     .id("rates")
///     .public()
///     .middleware(Caching::new("public, max-age=600").tag())
///     .handler(async |()| Ok(Data(1.0)));
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct Caching {
    value: String,
    tags: bool,
}

impl Caching {
    /// Creates the middleware from a `Cache-Control` value. `cache_control` is the value, such as `private,
    /// max-age=60`.
    ///
    /// Building the Api fails if the value is not a list of directives (RFC 9111, section 5.2).
    pub fn new(cache_control: impl Into<String>) -> Self {
        Self { value: cache_control.into(), tags: false }
    }

    /// Adds an `ETag` to responses. The tag is the first half of the SHA-256 hash of the content. A client that already
    /// has the content receives a 304 (RFC 9110, section 13.1.2).
    ///
    /// The controller still runs; only the body is not sent. A response that has a version tag
    /// ([`Tagged`](restwright_runtime::core::conditional::Tagged)) keeps it. Streams and 206 responses get no tag.
    pub fn tag(mut self) -> Self {
        self.tags = true;
        self
    }
}

/// Returns why a value of `Cache-Control` is invalid, or why a route with this operation must not send it.
pub(crate) fn mistake(value: &str, context: &BuildContext<'_>) -> Option<String> {
    let Some(names) = directives(value) else {
        return Some(format!(
            "{value:?} is not a valid value of `Cache-Control`; separate directives with commas, as in `private, max-age=60`"
        ));
    };
    if context.accesses().is_empty() || context.route().setting::<SameForAllCallers>().is_some() {
        return None;
    }
    let shared =
        names.iter().find(|name| ["public", "s-maxage"].iter().any(|shared| name.eq_ignore_ascii_case(shared)));
    if let Some(shared) = shared {
        return Some(format!(
            "`{shared}` lets shared caches store responses of a route that is not public; write `private`, make the route public, or add `.with(SameForAllCallers)` to it"
        ));
    }
    // With an argument, `private` and `no-cache` concern only the named fields (RFC 9111, sections 5.2.2.4 and 5.2.2.7).
    let restricts = |directive: &str| {
        ["private", "no-cache", "no-store"].iter().any(|restriction| directive.trim().eq_ignore_ascii_case(restriction))
    };
    (!value.split(',').any(restricts)).then(|| {
        format!(
            "`{value}` lets shared caches store responses of a route that is not public; write `private, {value}`, make the route public, or add `.with(SameForAllCallers)` to it"
        )
    })
}

impl Middleware for Caching {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        mistake(&self.value, context).map_or(Ok(()), |mistake| Err(BuildErrors::one(mistake)))
    }

    fn describe(&self, operation: &mut Operation) {
        if operation.method != Method::GET {
            return;
        }
        if self.tags {
            for status in covered(operation) {
                let tag = HeaderObject::new("ETag", SchemaUse::output(SchemaObject::string()));
                // Streams and partial responses have no tag.
                operation.response(status).add_header(tag.description("The entity tag of the content.").optional());
            }
            describe_tag(operation);
        }
        for status in covered(operation) {
            operation.response(status).add_header(cache_control());
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        if !matches!(*request.method(), Method::GET | Method::HEAD) || !is_covered(response.status()) {
            return Ok(response);
        }
        if response.header_value(&CACHE_CONTROL).is_none()
            && let Ok(value) = HeaderValue::from_str(&self.value)
        {
            response.insert_header(CACHE_CONTROL, value);
        }
        // A 206 contains only a part of the content, so its hash is not the tag of the content.
        let is_tagged =
            self.tags && response.status() != StatusCode::PARTIAL_CONTENT && response.header_value(&ETAG).is_none();
        let content = response.payload().as_bytes().filter(|_| is_tagged);
        match content.map(tag) {
            Some(tag) => respond_with_tag(&tag, request, response),
            None => Ok(response),
        }
    }
}

/// Returns `true` if the middleware adds headers to responses with this status. It applies to 2xx, and to 304, which
/// repeats the headers of the 200 (RFC 9110, section 15.4.5).
fn is_covered(status: StatusCode) -> bool {
    status.is_success() || status == StatusCode::NOT_MODIFIED
}

/// Returns the response statuses of the operation for which the middleware adds headers.
fn covered(operation: &Operation) -> Vec<StatusCode> {
    operation.inline_responses().map(|response| response.status).filter(|status| is_covered(*status)).collect()
}

fn tag(content: &[u8]) -> EntityTag {
    let digest = Sha256::digest(content);
    EntityTag::strong(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// Returns the names of the directives in a `Cache-Control` value, or `None` if the value is invalid.
fn directives(value: &str) -> Option<Vec<&str>> {
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    value
        .split(',')
        .map(|text| {
            let (name, argument) =
                text.trim().split_once('=').map_or((text.trim(), None), |(name, value)| (name, Some(value)));
            let is_quoted = |text: &str| text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
            let holds = is_token(name) && argument.is_none_or(|argument| is_token(argument) || is_quoted(argument));
            holds.then_some(name)
        })
        .collect()
}
