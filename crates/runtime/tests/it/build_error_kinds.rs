//! The kinds and places of build errors.

use restwright_core::http::StatusCode;
use restwright_core::operation::ParameterLocation;
use restwright_core::schema::{boolean, string};
use restwright_core::{BuildErrorKind, Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;

struct Declared(Route);

impl Controller for Declared {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone()
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

/// Returns the kinds and places of the errors of these routes.
fn kinds(routes: impl IntoIterator<Item = Route>) -> Vec<(BuildErrorKind, Option<String>)> {
    let builder = Api::builder(Configuration::new("kinds", "1.0.0"));
    let errors = routes.into_iter().fold(builder, |builder, route| builder.controller(Declared(route))).build();
    let errors = errors.unwrap_err();
    for (error, message) in errors.errors().iter().zip(errors.messages()) {
        assert_eq!(&error.to_string(), message);
        assert!(message.ends_with(error.message()), "{message}");
    }
    errors.errors().iter().map(|error| (error.kind(), error.place().map(str::to_owned))).collect()
}

fn get(path: &str) -> Route {
    Route::get(path).id(path).public().empty_response(204)
}

#[test]
fn errors_have_the_kind_and_the_place_of_their_source() {
    let cases = [
        (vec![get("/a"), get("/a").id("b")], BuildErrorKind::Route),
        (vec![get("/a").id("b"), Route::post("/a").id("b").public().empty_response(204)], BuildErrorKind::OperationId),
        (vec![Route::get("/a").id("a").empty_response(204)], BuildErrorKind::Access),
        (vec![get("/a").parameter(ParameterLocation::Path, string("x"))], BuildErrorKind::Request),
        (
            vec![
                get("/a")
                    .parameter(ParameterLocation::Query, boolean("x"))
                    .parameter(ParameterLocation::Query, boolean("x")),
            ],
            BuildErrorKind::Request,
        ),
        (vec![get("/a").empty_response(500)], BuildErrorKind::Response),
    ];
    for (routes, expected) in cases {
        let place = format!("{} /a", if expected == BuildErrorKind::OperationId { "POST" } else { "GET" });
        assert_eq!(kinds(routes), [(expected, Some(place))]);
    }
}
