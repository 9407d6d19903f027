//! `Content-Range` of requests (RFC 9110, sections 14.4 and 14.5).

use restwright_core::http::{HttpRequest, HttpResponse, Method, StatusCode, header};
use restwright_core::operation::ParameterLocation;
use restwright_core::schema::{PropertyCollection, SchemaType, string};
use restwright_core::{Configuration, Controller, Input, Middleware, Next, Output, Result, Route};
use restwright_runtime::{Api, Group};
use restwright_testing::TestClient;
use serde_json::Value;

/// Responds with the value of `Content-Range` that it read.
struct Store(Route);

impl Controller for Store {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let route = self.0.clone().public().body(PropertyCollection::new("Part").property(string("part")));
        route.response(200, SchemaType::any())
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::OK, input.parameters().clone().into_value()))
    }
}

/// Removes `Content-Range`, as a middleware that collects the parts does.
struct Collecting;

impl Middleware for Collecting {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.headers_mut().remove(header::CONTENT_RANGE);
        Ok(next.run(request).await)
    }
}

#[test]
fn rejects_a_put_of_a_part_unless_the_operation_reads_its_position() {
    let route = |method: Method, path: &str| Route::new(method, path).id(path.trim_start_matches('/').to_owned());
    let reading = |path: &str, name: &'static str| {
        Store(route(Method::PUT, path).parameter(ParameterLocation::Header, string(name).optional()))
    };
    let api = Api::builder(Configuration::new("parts", "1.0.0"))
        .controller(Store(route(Method::PUT, "/put")))
        .controller(Store(route(Method::POST, "/post")))
        .controller(Store(route(Method::PATCH, "/patch")))
        .controller(reading("/reading", "Content-Range"))
        .controller(reading("/reading-too", "content-range"))
        .controller(reading("/other", "Content-Language"))
        .group(Group::new("").public().middleware(Collecting).controller(Store(route(Method::PUT, "/collecting"))));
    let client = TestClient::new(api.build().unwrap());
    for (method, path, expected) in [
        (Method::PUT, "/put", 400),
        (Method::PUT, "/other", 400),
        (Method::PUT, "/reading", 200),
        (Method::PUT, "/reading-too", 200),
        (Method::PUT, "/collecting", 200),
        (Method::POST, "/post", 200),
        (Method::PATCH, "/patch", 200),
    ] {
        let request = || client.request(method.clone(), path).json(&serde_json::json!({"part": "a"}));
        request().send().assert_status(200).assert_documented();
        // The value is not read, so a malformed header is rejected too.
        for range in ["bytes 0-0/5", "bytes 0-0/*", "", "x"] {
            let response = request().header("Content-Range", range).send();
            response.assert_documented();
            assert_eq!(response.status().as_u16(), expected, "{path} {range}: {response:?}");
            if expected == 400 {
                response.assert_problem("malformed_request");
                let detail = response.json::<Value>()["detail"].to_string();
                assert!(detail.contains("`Content-Range`"), "{detail}");
            }
        }
    }
}
