//! Finds the route of a request before any middleware runs. Responds to requests without a route after the middlewares
//! of the Api have run.

use std::borrow::Cow;

use http::header::ALLOW;
use http::{HeaderValue, Method, StatusCode};
use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::problem::catalogue;
use restwright_core::runtime::normalise;
use restwright_core::{Problem, Result};

use super::{RouteEntry, Routes};
use crate::router::Matched;

/// The result of finding the route of a request.
pub(crate) enum FoundRoute<'a> {
    Route(&'a RouteEntry),
    Nothing,
    MethodNotAllowed(&'a HeaderValue),
    Options(&'a HeaderValue),
    /// The request is `OPTIONS *`, which concerns the whole server (RFC 9110, section 9.3.7).
    ServerOptions,
    /// The path of the request is not UTF-8 after percent-decoding.
    Malformed,
}

impl<'a> FoundRoute<'a> {
    /// Finds the route of a request before any middleware runs.
    pub(crate) fn find(routes: &'a Routes, request: &mut HttpRequest) -> Self {
        if let Cow::Owned(path) = normalise(request.path()) {
            if percent_encoding::percent_decode_str(&path).decode_utf8().is_err() {
                return Self::Malformed;
            }
            request.set_normal_path(path);
        }
        if request.method() == Method::OPTIONS {
            let entries = routes.router.routes_at(request.path()).filter_map(|number| routes.entries.get(number));
            let at_path = entries.map(|entry| entry.info.clone()).collect();
            request.set_routes_at_path(at_path);
        }
        match routes.router.find(request.method(), request.path()) {
            Matched::Nothing if request.path() == "*" && request.method() == Method::OPTIONS => Self::ServerOptions,
            Matched::Nothing => Self::Nothing,
            Matched::MethodNotAllowed(allow) => Self::MethodNotAllowed(allow),
            Matched::Options(allow) => Self::Options(allow),
            Matched::Route(number, captures) => match routes.entries.get(number) {
                Some(entry) => {
                    request.set_route(entry.info.clone(), captures);
                    request.body_mut().set_limit(entry.body_limit);
                    Self::Route(entry)
                }
                None => Self::Nothing,
            },
        }
    }
}

impl FoundRoute<'_> {
    /// Returns the response to a request without a route, such as a 404.
    #[cold]
    pub(super) fn respond(&self, request: &HttpRequest) -> Result<HttpResponse> {
        match self {
            Self::Route(_) | Self::Nothing => {
                Err(Problem::not_found("Nothing exists at this path.").detail_key("not_found.path"))
            }
            Self::MethodNotAllowed(allow) => Err(Problem::new(catalogue::METHOD_NOT_ALLOWED)
                .detail("This path does not support this method. `Allow` lists the supported methods.")
                .detail_key("method_not_allowed.path")
                .header(ALLOW, (*allow).clone())),
            Self::Options(allow) => {
                let mut response = HttpResponse::new(StatusCode::NO_CONTENT).header(ALLOW, (*allow).clone());
                for route in request.routes_at_path() {
                    let operation = route.operation();
                    if matches!(operation.method, Method::PATCH | Method::QUERY)
                        && let Some((name, media_types)) = operation.accepted_bodies()
                    {
                        response.insert_header(name, media_types);
                    }
                }
                Ok(response)
            }
            Self::ServerOptions => Ok(HttpResponse::new(StatusCode::NO_CONTENT)),
            Self::Malformed => Err(Problem::new(catalogue::MALFORMED_REQUEST)
                .detail("The path is not valid UTF-8 when decoded.")
                .detail_key("malformed_request.path")),
        }
    }
}
