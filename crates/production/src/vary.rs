//! Adds names to the header `Vary` (RFC 9110, section 12.5.5).

use http::HeaderValue;
use http::header::VARY;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};

/// Adds a header name to the `Vary` header of a response. If the request overrides `Vary`, the name is added to this
/// override.
pub(crate) fn vary(request: &mut HttpRequest, response: &mut HttpResponse, name: &'static str) {
    let on_request = request.response_header(&VARY);
    if on_request.is_none() && response.header_value(&VARY).is_none() {
        return response.insert_header(VARY, HeaderValue::from_static(name));
    }
    let mut line = Vec::new();
    let mut add = |names: &[u8]| {
        if !line.is_empty() {
            line.extend(b", ");
        }
        line.extend(names);
    };
    match on_request {
        Some(names) => add(names.as_bytes()),
        None => response.each_header(|known, names| {
            if *known == VARY {
                add(names)
            }
        }),
    }
    let mut names = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    if names.any(|known| known == b"*" || known.eq_ignore_ascii_case(name.as_bytes())) {
        return;
    }
    let separator = if line.is_empty() { "" } else { ", " };
    line.extend([separator, name].concat().as_bytes());
    let Ok(value) = HeaderValue::try_from(line) else { return };
    if on_request.is_some() {
        request.set_response_header(VARY, value);
    } else {
        response.insert_header(VARY, value);
    }
}
