//! Tails of paths, through the in-process client.

use restwright_core::operation::ParameterLocation;
use restwright_core::schema::string;
use restwright_core::{Configuration, Input, NoContent, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;

fn route(method: &str, path: &str) -> Route {
    let id = format!("{method} {path}");
    Route::new(method.parse().unwrap(), path).id(id).public().parameter(ParameterLocation::Path, string("tail"))
}

#[test]
fn accepts_any_tail_only_where_declared() {
    let api = Api::builder(Configuration::new("tails", "1.0.0"))
        .controller(route("GET", "/files/{*tail}").handler(async |_: Input| Ok(NoContent)))
        .controller(route("PUT", "/files/{*tail}").any_tail().handler(async |_: Input| Ok(NoContent)))
        .build()
        .unwrap();
    let client = TestClient::new(api.clone());
    for (method, path, status, allow) in [
        ("GET", "/files/a/b", 204, None),
        ("PUT", "/files/a/b", 204, None),
        ("DELETE", "/files/a/b", 405, Some("GET, HEAD, OPTIONS, PUT")),
        ("PUT", "/files/../b", 204, None),
        ("GET", "/files/../b", 405, Some("OPTIONS, PUT")),
        ("DELETE", "/files/%2e./b", 405, Some("OPTIONS, PUT")),
        ("OPTIONS", "/files/a%2Fb", 204, Some("OPTIONS, PUT")),
    ] {
        let response = client.request(method.parse().unwrap(), path).send();
        response.assert_status(status);
        assert_eq!(response.header("allow"), allow, "{method} {path}");
        let routed = api.route(&method.parse().unwrap(), path);
        assert_eq!(routed.is_some(), status == 204 && allow.is_none(), "{method} {path}");
    }
}

#[test]
fn any_tail_needs_a_tail() {
    let route =
        Route::get("/files/{tail}").any_tail().id("a").public().parameter(ParameterLocation::Path, string("tail"));
    let controller = route.handler(async |_: Input| Ok(NoContent));
    let errors = Api::builder(Configuration::new("tails", "1.0.0")).controller(controller).build().unwrap_err();
    assert_eq!(
        errors.messages(),
        [
            "GET /files/{tail}: the path `/files/{tail}` has no tail; write one, such as `/files/{*path}`, or remove `.any_tail()`"
        ]
    );
}
