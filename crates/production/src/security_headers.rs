//! Defines [`SecurityHeaders`], a middleware that adds security headers for browsers and caches.

use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};

/// A middleware that adds security headers for browsers and caches.
///
/// A response that already has one of the headers keeps it. These are the defaults:
///
/// | header | value | responses |
/// |---|---|---|
/// | `X-Content-Type-Options` | `nosniff` | all |
/// | `Content-Security-Policy` | `default-src 'none'; frame-ancestors 'none'` | all |
/// | `Referrer-Policy` | `no-referrer` | all |
/// | `Cache-Control` | `private, no-cache` if there is an `ETag`, else `no-store` (RFC 9111, section 5.2.2) | of routes that are not public |
///
/// [`set`](Self::set) changes a header, and [`without`](Self::without) removes one. [`hsts`](Self::hsts) adds
/// `Strict-Transport-Security`.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_production::SecurityHeaders;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let headers = SecurityHeaders::new().hsts(Duration::from_secs(365 * 24 * 3600)).set("Referrer-Policy", "same-origin");
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).middleware(headers).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct SecurityHeaders {
    /// The headers to add to all responses.
    fixed: Vec<(HeaderName, HeaderValue)>,
    keeps_from_caches: bool,
    mistakes: Vec<String>,
}

static PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");
static NOT_STORED: HeaderValue = HeaderValue::from_static("no-store");

impl SecurityHeaders {
    /// Creates the middleware with the default headers, listed at [`SecurityHeaders`].
    pub fn new() -> Self {
        let fixed = [
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
            (REFERRER_POLICY, "no-referrer"),
        ];
        let fixed = fixed.map(|(name, value)| (name, HeaderValue::from_static(value))).into();
        Self { fixed, keeps_from_caches: true, mistakes: Vec::new() }
    }

    /// Sets `Strict-Transport-Security`, so browsers use only HTTPS for `max_age` (RFC 6797). Use it only if the
    /// service does not need plain HTTP.
    ///
    /// Browsers ignore the header over HTTP. To include subdomains, use
    /// `.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")`.
    pub fn hsts(self, max_age: Duration) -> Self {
        self.set(STRICT_TRANSPORT_SECURITY.as_str(), format!("max-age={}", max_age.as_secs()))
    }

    /// Sets a header on all responses that do not already have it.
    ///
    /// Building the Api fails if the name or value is invalid.
    pub fn set(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        match (name.parse(), value.parse()) {
            (Ok(name), Ok(value)) => {
                self = self.without(&name);
                self.fixed.push((name, value));
            }
            (Err(_), _) => self
                .mistakes
                .push(format!("`{name}` is not a header name (RFC 9110, section 5.1); use letters, digits and `-`")),
            (_, Err(_)) => {
                self.mistakes.push(format!(
                    "{value:?} is not a valid value of the header `{name}`; write visible ASCII characters and spaces"
                ));
            }
        }
        self
    }

    /// Removes a header by name, such as one of the default headers.
    pub fn without(mut self, name: impl AsRef<str>) -> Self {
        let name = name.as_ref();
        self.fixed.retain(|(known, _)| !name.eq_ignore_ascii_case(known.as_str()));
        self.keeps_from_caches &= !name.eq_ignore_ascii_case(CACHE_CONTROL.as_str());
        self
    }

    /// Adds the headers to a response.
    pub(crate) fn end(&self, request: &HttpRequest, response: &mut HttpResponse) {
        for (name, value) in &self.fixed {
            response.insert_absent_header(name, value);
        }
        let is_public = || request.route().is_none_or(|route| is_public(route.operation()));
        if self.keeps_from_caches && !is_public() {
            let is_tagged = response.header_value(&ETAG).is_some();
            response.insert_absent_header(&CACHE_CONTROL, if is_tagged { &PRIVATE } else { &NOT_STORED });
        }
    }
}

impl Default for SecurityHeaders {
    fn default() -> Self {
        Self::new()
    }
}

impl Middleware for SecurityHeaders {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.mistakes.iter().for_each(|mistake| context.api_errors().push(mistake.as_str()));
        Ok(())
    }

    fn describe(&self, operation: &mut Operation) {
        let header = |name: &HeaderName| {
            HeaderObject::new(display(name), SchemaUse::output(SchemaObject::string())).description("For browsers.")
        };
        for (name, _) in &self.fixed {
            operation.add_common_header(header(name));
        }
        if self.keeps_from_caches && !is_public(operation) {
            operation.add_common_header(
                header(&CACHE_CONTROL).description("The caches that may store the response, and for how long."),
            );
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        self.end(request, &mut response);
        Ok(response)
    }
}

/// Returns `true` if the operation accepts requests without credentials.
fn is_public(operation: &Operation) -> bool {
    operation.security.is_empty()
}

/// Returns a header name with capitalized words, such as `X-Content-Type-Options`.
fn display(name: &HeaderName) -> String {
    let mut words: Vec<String> = name.as_str().split('-').map(str::to_owned).collect();
    for word in &mut words {
        if let Some(first) = word.get_mut(..1) {
            first.make_ascii_uppercase();
        }
    }
    words.join("-")
}
