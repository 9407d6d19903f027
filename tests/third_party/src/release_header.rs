//! A middleware.

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors, Middleware, Next, Result};

/// Adds the release of the service to every response.
#[derive(Debug)]
pub struct ReleaseHeader(pub &'static str);

impl Middleware for ReleaseHeader {
    fn plan(&self, _: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        match HeaderValue::from_str(self.0) {
            Ok(_) => Ok(()),
            Err(_) => Err(BuildErrors::one("the release is no header value; use visible ASCII")),
        }
    }

    fn describe(&self, operation: &mut Operation) {
        operation.add_common_header(HeaderObject::new("X-Release", SchemaUse::output(SchemaObject::string())));
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let response = next.run(request).await;
        Ok(response.header(HeaderName::from_static("x-release"), HeaderValue::from_static(self.0)))
    }
}
