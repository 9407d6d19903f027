//! Adds names to the header `Vary` (RFC 9110, section 12.5.5).

use http::HeaderValue;
use http::header::VARY;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::runtime::vary_with;

/// Adds a header name to the `Vary` header of a response. If the request overrides `Vary`, the name is added to this
/// override.
pub(crate) fn vary(request: &mut HttpRequest, response: &mut HttpResponse, name: &'static str) {
    match request.response_header(&VARY) {
        None => response.add_vary(&HeaderValue::from_static(name)),
        Some(known) => {
            if let Some(value) = vary_with(&[known.as_bytes()], name.as_bytes()) {
                request.set_response_header(VARY, value);
            }
        }
    }
}
