//! `Vary` (RFC 9110, section 12.5.5).

use http::HeaderValue;
use http::header::VARY;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};

/// Adds the name of a request header to the `Vary` of a response, which may be set on the request.
pub(crate) fn vary(request: &mut HttpRequest, response: &mut HttpResponse, name: &'static str) {
    let on_request = request.response_header(&VARY);
    if on_request.is_none() && response.header_value(&VARY).is_none() {
        return response.insert_header(VARY, HeaderValue::from_static(name));
    }
    let lines: Vec<_> = match on_request {
        Some(line) => vec![line],
        None => response.headers().get_all(VARY).iter().collect(),
    };
    let mut names: Vec<_> = lines.iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).collect();
    let mut trimmed = names.iter().map(|name| name.trim_ascii());
    if trimmed.any(|known| known == b"*" || known.eq_ignore_ascii_case(name.as_bytes())) {
        return;
    }
    let name = if names.is_empty() { name.to_owned() } else { format!(" {name}") };
    names.push(name.as_bytes());
    let Ok(value) = HeaderValue::try_from(names.join(&b',')) else { return };
    if on_request.is_some() {
        request.set_response_header(VARY, value);
    } else {
        response.headers_mut().insert(VARY, value);
    }
}
