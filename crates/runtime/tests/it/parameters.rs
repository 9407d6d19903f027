//! Parameters: from strings to values.

use restwright_core::auth::{Authentication, Authenticator};
use restwright_core::http::{HttpRequest, StatusCode};
use restwright_core::operation::{ApiKeyLocation, ParameterLocation, SecurityScheme};
use restwright_core::schema::{
    Property, PropertyCollection, SchemaObject, SchemaType, array, boolean, date, date_time, int64, number, string,
    uuid,
};
use restwright_core::{Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde_json::{Value, json};

/// Never responds.
struct Wrong(Route);

impl Controller for Wrong {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        self.0.clone()
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::OK, ()))
    }
}

/// Responds with the parameters that it read.
struct Echo;

impl Controller for Echo {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        let strings = |name: &'static str| array(name, SchemaObject::string().max_length(3)).optional();
        Route::get("/echo/{id}/{ids}/{*rest}")
            .public()
            .parameter(ParameterLocation::Path, int64("id").minimum(1))
            .parameter(ParameterLocation::Path, array("ids", SchemaObject::int64()))
            .parameter(ParameterLocation::Path, string("rest").max_length(10))
            .parameter(ParameterLocation::Query, number("q").maximum(9.5).optional())
            .parameter(ParameterLocation::Query, int64("limit").default_value(20))
            .parameter(ParameterLocation::Query, boolean("flag").optional())
            .parameter(ParameterLocation::Query, date("day").optional())
            .parameter(ParameterLocation::Query, uuid("key").optional())
            .parameter(ParameterLocation::Query, date_time("at").optional())
            .parameter(ParameterLocation::Query, array("times", SchemaObject::date_time()).optional())
            .parameter(ParameterLocation::Query, strings("tag"))
            .parameter(ParameterLocation::Header, strings("X-Tags"))
            .parameter(ParameterLocation::Header, int64("X-One").optional())
            .parameter(ParameterLocation::Cookie, int64("visits").optional())
            .response(200, PropertyCollection::new("Echo").property(Property::new("read", SchemaType::any())))
    }

    async fn handle(&self, input: Input) -> Result<Output> {
        Ok(Output::new(StatusCode::OK, json!({"read": input.parameters().clone().into_value()})))
    }
}

/// Sends one request. Compares the values except the path, or the violations.
fn check(path: &str, headers: &[(&str, &str)], expected: &Value) {
    let api = Api::builder(Configuration::new("echo", "1.0.0")).controller(Echo).build().unwrap();
    let client = TestClient::new(api);
    let request = headers.iter().fold(client.get(path), |request, (name, value)| request.header(name, value));
    let response = request.send();
    response.assert_documented();
    let body = response.json::<Value>();
    let found = match body.get("errors") {
        Some(errors) => errors
            .as_array()
            .unwrap()
            .iter()
            .map(|error| json!([error["in"], error["pointer"], error["code"]]))
            .collect::<Vec<_>>()
            .into(),
        None => body["read"].clone(),
    };
    assert_eq!(found, *expected, "{path}");
}

#[test]
fn reads_values_from_every_location() {
    check("/echo/1/2,3/a%20b/c", &[], &json!({"id": 1, "ids": [2, 3], "rest": "a b/c", "limit": 20}));
    check(
        "/echo/%31/2/%C3%A4?q=1.5&limit=7&flag=true&day=2024-02-29&tag=a&tag=b&unknown=1",
        &[("X-Tags", "c, d"), ("X-Tags", "e"), ("X-One", "1"), ("Cookie", "a=b; visits=3")],
        &json!({
            "id": 1, "ids": [2], "rest": "ä", "q": 1.5, "limit": 7, "flag": true, "day": "2024-02-29", "tag": ["a", "b"],
            "X-Tags": ["c", "d", "e"], "X-One": 1, "visits": 3,
        }),
    );
}

#[test]
fn reports_the_location_of_every_violation() {
    check(
        "/echo/0/x/aaaaaaaaaaa?q=9.6&limit=1.5&flag=yes&day=2023-02-29&key=1&tag=long",
        &[("X-Tags", "long"), ("X-One", "1"), ("X-One", "2"), ("Cookie", "visits=x")],
        &json!([
            ["path", "/id", "minimum"],
            ["path", "/ids/0", "type"],
            ["path", "/rest", "max_length"],
            ["query", "/q", "maximum"],
            ["query", "/limit", "type"],
            ["query", "/flag", "type"],
            ["query", "/day", "format"],
            ["query", "/key", "format"],
            ["query", "/tag/0", "max_length"],
            ["header", "/X-Tags/0", "max_length"],
            ["header", "/X-One", "too_many_values"],
            ["cookie", "/visits", "type"],
        ]),
    );
    check("/echo/1/2/a?q=1&q=2", &[], &json!([["query", "/q", "too_many_values"]]));
}

#[test]
fn a_time_in_a_query_may_have_a_plus_that_is_not_encoded() {
    let (plus, utc) = ("2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00Z");
    let expected = json!({"id": 1, "ids": [1], "rest": "a", "limit": 20, "at": plus, "times": [plus, utc]});
    for sign in ["+", "%2B"] {
        let encoded = plus.replace('+', sign);
        check(&format!("/echo/1/1/a?at={encoded}&times={encoded}&times={utc}"), &[], &expected);
    }
    let wrong = json!([["query", "/at", "format"], ["query", "/times/0", "format"]]);
    check("/echo/1/1/a?at=2024-01-01+00:00:00Z&times=+", &[], &wrong);
}

#[test]
fn a_list_in_a_query_may_have_brackets() {
    let expected = |tags: &[&str]| json!({"id": 1, "ids": [1], "rest": "a", "limit": 20, "tag": tags});
    for (query, tags) in [("tag[]=a&tag%5B%5D=b", &["a", "b"][..]), ("tag=a&tag[]=b", &["a", "b"]), ("tag[]=a", &["a"])]
    {
        check(&format!("/echo/1/1/a?{query}"), &[], &expected(tags));
    }
    check("/echo/1/1/a?tag[]=long", &[], &json!([["query", "/tag/0", "max_length"]]));
    // A single value has no brackets.
    check("/echo/1/1/a?limit[]=7", &[], &json!({"id": 1, "ids": [1], "rest": "a", "limit": 20}));
}

#[test]
fn an_integer_has_one_path() {
    for (path, expected) in [
        ("/echo/7/-7/a?limit=1e0", json!({"id": 7, "ids": [-7], "rest": "a", "limit": 1})),
        ("/echo/7.0/1/a", json!([["path", "/id", "type"]])),
        ("/echo/70e-1/1/a", json!([["path", "/id", "type"]])),
        ("/echo/7E0/1/a", json!([["path", "/id", "type"]])),
        ("/echo/-0/1/a", json!([["path", "/id", "type"]])),
        ("/echo/07/1/a", json!([["path", "/id", "type"]])),
        ("/echo/+7/1/a", json!([["path", "/id", "type"]])),
    ] {
        check(path, &[], &expected);
    }
}

#[test]
fn rejects_headers_that_are_not_utf8() {
    let api = Api::builder(Configuration::new("echo", "1.0.0")).controller(Echo).build().unwrap();
    let client = TestClient::new(api);
    for (name, value) in [("X-One", &b"\xff"[..]), ("Cookie", b"visits=\xff")] {
        let response = client.get("/echo/1/2/a").header(name, value).send();
        response.assert_status(400).assert_documented().assert_problem("malformed_request");
    }
}

#[test]
fn rejects_types_that_cannot_be_read_or_written() {
    let nested = || array("x", SchemaObject::array(SchemaObject::int64()));
    let object = PropertyCollection::new("Object").property(int64("a"));
    let route = || Route::get("/a").id("a").public();
    let ok = || route().empty_response(204);
    for (route, expected) in [
        (ok().parameter(ParameterLocation::Query, nested()), "the parameter `x` must be a scalar or a list of scalars"),
        (ok().parameter(ParameterLocation::Query, Property::new("x", object)), "the parameter `x` must be a scalar"),
        (ok().parameter(ParameterLocation::Cookie, int64("a b")), "`a b` is not a cookie name"),
        (
            ok().parameter(ParameterLocation::Header, int64("X-A")).parameter(ParameterLocation::Header, int64("x-a")),
            "two parameters in the header are named `x-a`",
        ),
        (route().response(404, SchemaObject::string()), "use 200 to 399"),
        (route().response(204, SchemaObject::string()), "declares a body for status 204"),
        (ok().response_header(201, string("Location")), "the header `Location` for status 201"),
    ] {
        let message = Api::builder(Configuration::new("wrong", "1.0.0")).controller(Wrong(route)).build().unwrap_err();
        assert!(message.to_string().contains(expected), "{message}");
    }
}

#[test]
fn rejects_a_parameter_with_the_name_of_an_api_key() {
    struct InQuery;

    impl Authenticator for InQuery {
        fn describe(&self) -> SecurityScheme {
            SecurityScheme::api_key(ApiKeyLocation::Query, "key")
        }

        async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
            Authentication::NoCredentials
        }
    }
    let build = |location, name: &'static str| {
        let route = Route::get("/a").authorize("keys", [""; 0]).empty_response(204);
        let route = route.parameter(location, string(name));
        Api::builder(Configuration::new("keys", "1.0.0").authenticator("keys", InQuery))
            .controller(Wrong(route))
            .build()
    };
    let message = build(ParameterLocation::Query, "key").unwrap_err();
    let expected = "the query parameter `key` is read from `key`, from which the scheme `keys` reads its key; rename the parameter";
    assert!(message.to_string().contains(expected), "{message}");
    assert!(build(ParameterLocation::Query, "keys").is_ok());
    assert!(build(ParameterLocation::Header, "key").is_ok());
}
