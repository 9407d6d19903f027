//! Run-time declared requests and responses as types.

use restwright_core::operation::ParameterLocation;
use restwright_core::schema::{PropertyCollection, SchemaObject, array, boolean, int64, string};
use restwright_core::{Configuration, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
struct Request {
    path: Path,
    query: Query,
    headers: Headers,
    cookies: Cookies,
    body: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Path {
    id: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    tags: Option<Vec<String>>,
    limit: i64,
}

#[derive(Debug, Deserialize)]
struct Headers {
    #[serde(rename = "X-Trace")]
    trace: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Cookies {
    session: Option<String>,
}

#[derive(Serialize)]
struct Response<H> {
    headers: H,
    body: Value,
}

fn route() -> Route {
    Route::post("/things/{id}")
        .id("echo")
        .public()
        .parameter(ParameterLocation::Path, int64("id"))
        .parameter(ParameterLocation::Query, array("tags", SchemaObject::string()).optional())
        .parameter(ParameterLocation::Query, int64("limit").default_value(9))
        .parameter(ParameterLocation::Header, string("X-Trace").optional())
        .parameter(ParameterLocation::Cookie, string("session").optional())
        .optional_body(SchemaObject::object(PropertyCollection::new("Thing").property(boolean("old"))).nullable())
        .response(200, SchemaObject::any())
}

fn client(route: Route, handle: impl Fn(Input) -> Result<Output> + Copy + Send + Sync + 'static) -> TestClient {
    let controller = route.handler(async move |input: Input| handle(input));
    TestClient::new(Api::builder(Configuration::new("a", "1")).controller(controller).build().unwrap())
}

#[test]
fn a_request_is_read_by_its_parts() {
    let client = client(route(), |input| {
        let Request { path, query, headers, cookies, body } = input.read()?;
        let read = json!([path.id, query.tags, query.limit, headers.trace, cookies.session, body]);
        Output::from_typed(200, &Response { headers: (), body: read })
    });
    let request = client.post("/things/7?tags=a&tags=b&limit=3").header("X-Trace", "t").header("Cookie", "session=s");
    let read: Value = request.json(&json!({ "old": true })).send().json();
    assert_eq!(read, json!([7, ["a", "b"], 3, "t", "s", { "old": true }]));
    assert_eq!(client.post("/things/7").send().json::<Value>(), json!([7, null, 9, null, null, null]));
}

#[test]
fn returns_500_for_a_type_that_contradicts_the_declaration() {
    #[derive(Debug, Deserialize)]
    struct Wrong {
        #[serde(rename = "path")]
        _path: WrongPath,
    }
    #[derive(Debug, Deserialize)]
    struct WrongPath {
        #[serde(rename = "id")]
        _id: bool,
    }
    let client = client(route(), |input| {
        let error = input.read::<Wrong>().unwrap_err();
        assert_eq!(error.property(), "path/id");
        Err(error.into())
    });
    client.post("/things/7").send().assert_status(500);
}

#[test]
fn writes_headers_as_strings() {
    let client = client(route(), |_| {
        let headers = json!({ "X-Text": "a b", "x-number": 7, "X-Flag": true, "X-List": ["a", 1], "X-None": null });
        Output::from_typed(200, &Response { headers, body: json!([1]) })
    });
    let response = client.post("/things/7").send();
    let headers = ["x-text", "x-number", "x-flag", "x-list", "x-none"].map(|name| response.header(name));
    assert_eq!(headers, [Some("a b"), Some("7"), Some("true"), Some("a, 1"), None]);
    assert_eq!(response.json::<Value>(), json!([1]));
}

#[test]
fn returns_500_for_values_that_are_not_responses() {
    for (status, headers, expected) in [
        (200, json!({ "X-Text": "a\r\nX-Other: b" }), "the header `X-Text`"),
        (200, json!({ "X Text": "a" }), "the header `X Text`"),
        (200, json!({ "X-Text": { "a": 1 } }), "is an object"),
        (99, json!({}), "status"),
    ] {
        let problem = Output::from_typed(status, &Response { headers, body: Value::Null }).unwrap_err();
        assert!(format!("{problem:?}").contains(expected), "{problem:?}");
    }
    assert!(Output::from_typed(204, &json!({})).is_ok());
}

#[test]
fn rejects_a_name_in_two_locations() {
    let route = route().parameter(ParameterLocation::Query, int64("id"));
    let controller = route.handler(async |_: Input| Output::from_typed(200, &json!({})));
    let error = Api::builder(Configuration::new("a", "1")).controller(controller).build().unwrap_err().to_string();
    assert!(error.contains("the parameter `id` is declared in path and in query"), "{error}");
}
