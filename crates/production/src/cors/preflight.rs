//! Responds to CORS preflights, which are `OPTIONS` requests that browsers send before certain cross-origin requests.

use std::sync::Arc;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ALLOW, ORIGIN, VARY,
};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::route::RouteInfo;

use super::names::HeaderNames;
use super::{Cors, OperationHeaders};

const VARY_PREFLIGHT: HeaderValue =
    HeaderValue::from_static("Origin, Access-Control-Request-Method, Access-Control-Request-Headers");

pub(super) fn is_preflight(request: &HttpRequest) -> bool {
    request.method() == Method::OPTIONS
        && request.header_bytes(&ORIGIN).is_some()
        && request.header_bytes(&ACCESS_CONTROL_REQUEST_METHOD).is_some()
}

/// Responds to a preflight with the methods and headers of the routes at its path. Does not call the routes.
pub(super) fn respond(cors: &Cors, request: &HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::new(StatusCode::NO_CONTENT).header(VARY, VARY_PREFLIGHT);
    let routes = request.routes_at_path();
    let methods = if routes.is_empty() { requested_methods(request) } else { methods_of(routes) };
    let methods = HeaderValue::try_from(methods.join(", ")).ok();
    let mut set = |name, value: Option<HeaderValue>| response.headers_mut().extend(value.map(|value| (name, value)));
    set(ALLOW, methods.clone().filter(|_| !routes.is_empty()));
    if let Some(origin) = cors.allowed(request) {
        let headers = match &cors.headers {
            Some(named) => named.to_value(),
            None if routes.is_empty() => requested_headers(request),
            None => headers_of(routes).to_value(),
        };
        set(ACCESS_CONTROL_ALLOW_METHODS, methods);
        set(ACCESS_CONTROL_ALLOW_HEADERS, headers);
        set(ACCESS_CONTROL_MAX_AGE, cors.max_age.map(|max_age| HeaderValue::from(max_age.as_secs())));
        cors.permit(&mut response, origin);
    }
    response
}

/// Returns the methods of the routes at one path, as listed in the header `Allow`.
fn methods_of(routes: &[Arc<RouteInfo>]) -> Vec<&str> {
    let mut methods: Vec<_> = routes.iter().map(|route| route.operation().method.as_str()).collect();
    if methods.contains(&"GET") {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    methods.sort_unstable();
    methods.dedup();
    methods
}

/// Returns the names of the request headers that the operations at one path read.
fn headers_of(routes: &[Arc<RouteInfo>]) -> HeaderNames {
    let mut headers = HeaderNames::default();
    for route in routes {
        headers.add_read_by(route.operation());
        route.kept::<OperationHeaders>().into_iter().for_each(|kept| headers.add_all(&kept.credentials));
    }
    headers
}

/// Returns the allowed methods for a path without routes. They include the requested method, so a page can read the
/// 404.
fn requested_methods(request: &HttpRequest) -> Vec<&str> {
    let requested = request.only_header(&ACCESS_CONTROL_REQUEST_METHOD).ok().flatten();
    let requested = requested.filter(|method| method.parse::<Method>().is_ok());
    let mut methods = vec!["GET", "HEAD", "POST"];
    methods.extend(requested.filter(|method| !["GET", "HEAD", "POST"].contains(method)));
    methods
}

/// Returns the allowed headers for a path without routes. They are the headers that the preflight requests, so a page
/// can read the 404.
fn requested_headers(request: &HttpRequest) -> Option<HeaderValue> {
    let names = request.only_header(&ACCESS_CONTROL_REQUEST_HEADERS).ok()??;
    let are_names = names.split(',').all(|name| HeaderName::try_from(name.trim()).is_ok());
    HeaderValue::try_from(names).ok().filter(|_| are_names)
}
