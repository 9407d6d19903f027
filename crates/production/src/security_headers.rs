//! Defines [`SecurityHeaders`], a middleware that adds security headers for browsers.

use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderName, HeaderValue};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::runtime::cache_control;
use restwright_runtime::core::schema::SchemaObject;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Result};

use crate::caching::mistake;

/// A middleware that adds security headers for browsers to all responses.
///
/// A response that already has one of the headers keeps it. These are the defaults:
///
/// | header | value |
/// |---|---|
/// | `X-Content-Type-Options` | `nosniff` |
/// | `Content-Security-Policy` | `default-src 'none'; frame-ancestors 'none'` |
/// | `Referrer-Policy` | `no-referrer` |
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
    headers: Vec<(HeaderName, HeaderValue)>,
    mistakes: Vec<String>,
}

impl SecurityHeaders {
    /// Creates the middleware with the default headers, listed at [`SecurityHeaders`].
    pub fn new() -> Self {
        let headers = [
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
            (REFERRER_POLICY, "no-referrer"),
        ];
        let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value))).into();
        Self { headers, mistakes: Vec::new() }
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
    /// Building the Api fails if the name or value is invalid. A value of `Cache-Control` applies instead of the values that
    /// responses have by default, so building the Api fails if shared caches could store responses of a route that is not
    /// public.
    pub fn set(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        let (name, value) = (name.as_ref(), value.as_ref());
        match (name.parse(), value.parse()) {
            (Ok(name), Ok(value)) => {
                self = self.without(&name);
                self.headers.push((name, value));
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
        self.headers.retain(|(known, _)| !name.eq_ignore_ascii_case(known.as_str()));
        self
    }

    /// Adds the headers to a response.
    pub(crate) fn end(&self, response: &mut HttpResponse) {
        for (name, value) in &self.headers {
            response.insert_absent_header(name, value);
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
        let caches = self.headers.iter().find(|(name, _)| *name == CACHE_CONTROL);
        let value = caches.and_then(|(_, value)| value.to_str().ok());
        value.and_then(|value| mistake(value, context)).map_or(Ok(()), |mistake| Err(BuildErrors::one(mistake)))
    }

    fn describe(&self, operation: &mut Operation) {
        for (name, _) in &self.headers {
            let header = HeaderObject::new(display(name), SchemaUse::output(SchemaObject::string()));
            operation.add_common_header(match *name {
                CACHE_CONTROL => cache_control(),
                _ => header.description("For browsers."),
            });
        }
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        self.end(&mut response);
        Ok(response)
    }
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
