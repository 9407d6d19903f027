//! Endpoints that are declared at run time, so that a test is its declaration.

use restwright_openapi::Document;
use restwright_runtime::Api;
use restwright_runtime::core::auth::{Authentication, Authenticator};
use restwright_runtime::core::http::{HttpRequest, StatusCode};
use restwright_runtime::core::operation::SecurityScheme;
use restwright_runtime::core::{Configuration, Controller, Input, Output, Result, Route};
use serde_json::Value;

/// An endpoint that responds with 204, regardless of what its route describes.
pub(crate) struct Endpoint(pub(crate) Route);

impl Controller for Endpoint {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        if self.0.declared_responses().is_empty() { self.0.clone().empty_response(204) } else { self.0.clone() }
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, Value::Null))
    }
}

/// A scheme that only describes itself.
pub(crate) struct Scheme(pub(crate) SecurityScheme);

impl Authenticator for Scheme {
    fn describe(&self) -> SecurityScheme {
        self.0.clone()
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::NoCredentials
    }
}

pub(crate) fn configuration() -> Configuration {
    let bearer = SecurityScheme::bearer("JWT");
    Configuration::new("shelter", "1.2.3").authenticator("bearer", Scheme(bearer))
}

pub(crate) fn api(routes: impl IntoIterator<Item = Route>) -> Api {
    let builder = Api::builder(configuration());
    routes.into_iter().fold(builder, |builder, route| builder.controller(Endpoint(route))).build().unwrap()
}

pub(crate) fn document(routes: impl IntoIterator<Item = Route>) -> Value {
    serde_json::from_str(&Document::from_api(&api(routes)).to_json()).unwrap()
}

/// What is at a JSON Pointer of a document of these routes.
pub(crate) fn part(routes: impl IntoIterator<Item = Route>, pointer: &str) -> Value {
    let document = document(routes);
    document.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer} of {document:#}")).clone()
}
