//! Middlewares that prepare themselves for the operations they cover.

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse, StatusCode};
use restwright_core::operation::{HeaderObject, Operation, ParameterLocation, SchemaUse};
use restwright_core::schema::{SchemaObject, boolean};
use restwright_core::{
    AfterAuthentication, BuildContext, BuildErrors, Component, ComponentError, Configuration, Controller, Input,
    Middleware, Next, Output, Result, Route,
};
use restwright_runtime::Api;
use restwright_testing::TestClient;

const NUMBER: HeaderName = HeaderName::from_static("x-number");

/// Numbers the operations that it covers. All middlewares of this type in an Api share one sequence.
struct Numbering;

#[derive(Clone, Copy, Default)]
struct Number(u32);

impl Middleware for Numbering {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let last = context.build_state::<Number>();
        last.0 += 1;
        let number = *last;
        if number.0 > 2 {
            return Err(BuildErrors::one("two operations can be numbered"));
        }
        if number.0 == 1 {
            context.component(Register);
        }
        *context.kept() = number;
        Ok(())
    }

    fn describe(&self, operation: &mut Operation) {
        operation.add_common_header(HeaderObject::new("X-Number", SchemaUse::output(SchemaObject::int64())));
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let number = request.route().and_then(|route| route.kept::<Number>()).copied();
        request.set_response_header(NUMBER, HeaderValue::from(0));
        request.set_response_header(NUMBER, HeaderValue::from(number.unwrap().0));
        assert_eq!(request.response_header(&NUMBER).unwrap(), &number.unwrap().0.to_string());
        Ok(next.run(request).await)
    }
}

/// A component for the numbers, which is missing.
struct Register;

impl Component for Register {
    fn name(&self) -> &str {
        "register"
    }

    async fn ready(&self) -> Result<(), ComponentError> {
        Err("it is not there".into())
    }
}

/// Panics if the request says so.
struct Panicking(&'static str);

impl Controller for Panicking {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        Route::get(self.0)
            .id(self.0)
            .public()
            .parameter(ParameterLocation::Query, boolean("panic").optional())
            .middleware(AfterAuthentication(Numbering))
            .empty_response(204)
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        assert!(!input.parameters().contains("panic"), "the controller panicked");
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

fn api(paths: &[&'static str]) -> Result<Api, BuildErrors> {
    let builder = Api::builder(Configuration::new("numbers", "1.0.0"));
    paths.iter().fold(builder, |builder, path| builder.controller(Panicking(path))).build()
}

#[test]
fn keeps_attached_values_until_the_call() {
    let client = TestClient::new(api(&["/one", "/two"]).unwrap());
    client.get("/one").send().assert_status(204).assert_header("x-number", "1").assert_documented();
    client.get("/two").send().assert_status(204).assert_header("x-number", "2").assert_documented();
}

#[tokio::test]
async fn registers_the_components_of_middlewares() {
    let failures = api(&["/one", "/two"]).unwrap().ready().await.unwrap_err();
    let failures: Vec<_> = failures.iter().map(ToString::to_string).collect();
    assert_eq!(failures, ["the component `register` is not ready: it is not there"]);
}

#[test]
fn a_header_of_the_response_survives_a_panic() {
    let client = TestClient::new(api(&["/one"]).unwrap());
    client.get("/one?panic=true").send().assert_status(500).assert_header("x-number", "1").assert_documented();
}

#[test]
fn rejects_a_route_that_a_middleware_cannot_cover() {
    let errors = api(&["/one", "/two", "/three"]).unwrap_err();
    assert_eq!(errors.messages(), ["GET /three: two operations can be numbered"]);
}
