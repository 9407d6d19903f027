//! Bodies of every JSON type that are declared at run time.

use restwright_core::http::StatusCode;
use restwright_core::schema::{PropertyCollection, SchemaObject, SchemaType, string};
use restwright_core::{Configuration, Input, Output, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde_json::{Value, json};

/// Declares a body and sends a value. Compares the value that was read, or the code of the only violation.
#[track_caller]
fn check(declare: impl FnOnce(Route) -> Route, sent: Option<&Value>, expected: Result<Value, &str>) {
    let route = declare(Route::post("/echo").id("echo").public()).response(200, SchemaType::any());
    let echo =
        route.handler(async |input: Input| Ok(Output::new(StatusCode::OK, json!([input.into_body().into_value()]))));
    let client = TestClient::new(Api::builder(Configuration::new("echo", "1.0.0")).controller(echo).build().unwrap());
    let request = client.post("/echo");
    let response = match sent {
        Some(body) => request.json(body).send(),
        None => request.send(),
    };
    response.assert_documented();
    let found = response.json::<Value>();
    match expected {
        Ok(value) => assert_eq!(found, json!([value]), "{sent:?}"),
        Err(code) => assert_eq!(found["errors"][0]["code"], code, "{sent:?}: {found}"),
    }
}

fn named() -> PropertyCollection {
    PropertyCollection::new("Named").property(string("name"))
}

#[test]
fn a_body_is_any_value_that_its_schema_admits() {
    let numbers = || SchemaObject::array(SchemaObject::int64()).max_items(2);
    check(|route| route.body(numbers()), Some(&json!([1, 2])), Ok(json!([1, 2])));
    check(|route| route.body(numbers()), Some(&json!([1, 2, 3])), Err("max_items"));
    check(|route| route.body(SchemaObject::string()), Some(&json!("a")), Ok(json!("a")));
    check(|route| route.body(SchemaObject::int64().minimum(1)), Some(&json!(0)), Err("minimum"));
    check(|route| route.body(named()), Some(&json!({"name": "a"})), Ok(json!({"name": "a"})));
    for value in [json!({"a": [1]}), json!([{}, null]), json!("a"), json!(1.5), json!(true), Value::Null] {
        check(|route| route.body(SchemaType::any()), Some(&value), Ok(value.clone()));
    }
}

#[test]
fn accepts_null_or_a_missing_body() {
    let nullable = || SchemaObject::from(named()).nullable();
    for body in [None, Some(&Value::Null)] {
        check(|route| route.optional_body(nullable()), body, Ok(Value::Null));
    }
    check(|route| route.optional_body(nullable()), Some(&json!({"name": "a"})), Ok(json!({"name": "a"})));
    check(|route| route.body(nullable()), Some(&Value::Null), Ok(Value::Null));
    check(|route| route.body(named()), Some(&Value::Null), Err("null"));
}
