//! Controllers from functions, and the built-in responses and locations for them.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use restwright_core::operation::ParameterLocation;
use restwright_core::schema::int64;
use restwright_core::{
    BuildErrors, Configuration, Controller, Created, Data, Input, Location, NoContent, Problem, Result, Route,
};
use restwright_runtime::{Api, Group};
use restwright_testing::TestClient;
use serde_json::json;

fn build(controllers: Group) -> Result<Api, BuildErrors> {
    Api::builder(Configuration::new("numbers", "1.0.0")).group(controllers).build()
}

fn client(controllers: Group) -> TestClient {
    TestClient::new(build(controllers).unwrap())
}

fn view() -> impl Controller {
    let id = int64("id").minimum(1);
    Route::get("/{id}").id("view").parameter(ParameterLocation::Path, id).handler(async |input: Input| {
        // A future that cannot leave its thread.
        let id = Rc::new(input.parameters().get::<i64>("id")?);
        tokio::task::yield_now().await;
        if *id > 9 {
            return Err(Problem::not_found("There is no such number."));
        }
        Ok(Data(*id))
    })
}

async fn delete(_: ()) -> Result<NoContent> {
    Ok(NoContent)
}

/// Creates the next number. Its location is created by `location`.
fn create(location: impl Fn(i64) -> Location + Send + Sync + 'static) -> impl Controller {
    let last = Arc::new(AtomicI64::new(0));
    Route::post("").id("create").summary("Create a number").handler(async move |()| {
        let id = last.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Created::at(location(id), id))
    })
}

#[test]
fn a_handler_is_a_controller() {
    let client = client(
        Group::new("/numbers").public().controller(view()).controller(Route::delete("").id("clear").handler(delete)),
    );
    let response = client.get("/numbers/7").send();
    response.assert_status(200).assert_documented();
    assert_eq!(response.text(), r#"{"data":7}"#);
    client.get("/numbers/10").send().assert_status(404);
    client.get("/numbers/0").send().assert_status(422).assert_documented();
    let response = client.delete("/numbers").send();
    response.assert_status(204).assert_documented();
    assert_eq!(response.text(), "");
}

#[test]
fn returns_the_path_of_an_operation_with_its_groups() {
    let numbers =
        Group::new("/numbers").controller(view()).controller(create(|id| Location::to("view").with("id", id)));
    let client = client(Group::new("/v1").public().group(numbers));
    let response = client.post("/v1/numbers").send();
    response.assert_status(201).assert_documented();
    assert_eq!(response.headers()["location"], "/v1/numbers/1");
    assert_eq!(response.text(), r#"{"data":1}"#);
}

#[test]
fn returns_500_for_a_location_without_an_operation() {
    for location in
        [|_| Location::to("show").with("id", 1), |_| Location::to("view"), |id| Location::to("create").with("id", id)]
    {
        let client = client(Group::new("/numbers").public().controller(view()).controller(create(location)));
        client.post("/numbers").send().assert_status(500).assert_documented();
    }
}

#[test]
fn describes_raw_responses_by_the_route() {
    let clear = Route::delete("").id("clear").handler(delete);
    let list =
        Route::get("").id("list").summary("List the numbers").handler(async |()| Ok(Data(vec![Some(1_i64), None])));
    let controllers =
        Group::new("/numbers").public().controller(create(|_| Location::to("list"))).controller(clear).controller(list);
    let api = build(controllers).unwrap();
    let described: Vec<_> = api
        .operations()
        .map(|operation| {
            let response = operation.inline_responses().next().unwrap();
            let headers: Vec<_> = response.inline_headers().map(|header| (&*header.name, header.required)).collect();
            json!([operation.id, response.status.as_u16(), response.description, response.content.len(), headers])
        })
        .collect();
    assert_eq!(
        described,
        [
            json!(["create", 201, "Create a number", 1, [["Location", true]]]),
            json!(["clear", 204, null, 0, []]),
            json!(["list", 200, "List the numbers", 1, []]),
        ]
    );
}

#[test]
fn a_handler_without_an_id_is_an_error() {
    let errors = build(Group::new("").public().controller(Route::get("/numbers").handler(async |()| Ok(NoContent))))
        .unwrap_err();
    let expected =
        "GET /numbers: the handler is a function, so the operation needs an id; add `.id(\"..\")` to the route";
    assert_eq!(errors.messages(), [expected]);
}

#[test]
fn an_empty_request_leaves_no_path_parameter_unread() {
    let errors = build(Group::new("").public().controller(Route::delete("/numbers/{id}").id("delete").handler(delete)))
        .unwrap_err();
    assert!(errors.messages()[0].contains("the path contains {id}, but the request does not declare it"), "{errors}");
}
