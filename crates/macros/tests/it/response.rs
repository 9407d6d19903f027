//! `#[derive(Response)]`.

use restwright::body::RawBody;
use restwright::{Request, Response, Route, Schema};
use serde::Serialize;
use serde_json::json;

use crate::{api, client};

#[derive(Request)]
struct Get {
    #[segment]
    id: i64,
}

/// The pet.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Pet {
    #[property(minimum = 1)]
    id: i64,
}

#[derive(Response)]
#[response(status = 201)]
struct Created {
    /// Where it is.
    #[header]
    location: String,
    #[header("X-Tag")]
    tags: Vec<String>,
    #[body]
    pet: Pet,
}

#[derive(Response)]
#[response(status = 204)]
struct Deleted;

#[derive(Response)]
#[response(status = 200, content_type = "text/csv")]
struct Table(#[body] RawBody);

#[derive(Response)]
#[response(status = 200, content_type = "application/vnd.pets+json; charset=utf-8")]
struct Vendor(#[body] Pet);

#[derive(Response)]
#[response(status = 200, content_type = "text/plain")]
struct Plain(#[body] Pet);

#[derive(Response)]
enum Found {
    /// It is here.
    #[response(status = 200)]
    Pet(Pet),
    #[response(status = 202)]
    Later {
        #[header("Retry-After")]
        response: u32,
    },
    #[response(status = 303)]
    Moved(#[header("Location")] String),
    #[response(status = 204)]
    Nothing,
}

/// A page of them.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Data<T> {
    data: T,
}

#[test]
fn a_struct_without_marks_is_its_own_body() {
    let client = client(|| Route::get("/{id}").public(), |get: Get| Ok(Pet { id: get.id }));
    client.get("/7").send().assert_status(200).assert_json(&json!({"id": 7})).assert_documented();
    let operation = client.api().operations().next().unwrap();
    let response = operation.inline_responses().next().unwrap();
    assert_eq!((response.status.as_u16(), response.description.as_deref()), (200, Some("The pet.")));
    assert_eq!(response.content.first().unwrap().name, "application/json");
}

#[test]
fn headers_are_fields() {
    let client = client(
        || Route::post("/{id}").public(),
        |get: Get| {
            let tags = vec!["a".to_owned(), "b".to_owned()];
            Ok(Created { location: format!("/{}", get.id), tags, pet: Pet { id: get.id } })
        },
    );
    let response = client.post("/7").send();
    response.assert_status(201).assert_header("Location", "/7").assert_json(&json!({"id": 7})).assert_documented();
    assert_eq!(response.headers().get_all("X-Tag").iter().count(), 2);
    let operation = client.api().operations().next().unwrap();
    let headers = operation.inline_responses().next().unwrap().inline_headers();
    let described = headers.map(|header| (header.name.as_str(), header.description.as_deref(), header.required));
    assert_eq!(described.collect::<Vec<_>>(), [("Location", Some("Where it is."), true), ("X-Tag", None, true)]);
}

#[derive(Response)]
#[response(status = 204)]
struct Nested(#[header("X-Pet")] Option<Pet>);

#[test]
fn a_header_is_no_object() {
    let errors = api(|| Route::get("/").public(), |(): ()| Ok(Nested(None))).unwrap_err();
    let [error] = errors.errors() else { panic!("{errors}") };
    assert_eq!(error.place(), Some("GET /"));
    assert!(error.message().starts_with("the header `X-Pet` must be a scalar or a list of scalars"), "{errors}");
}

#[test]
fn no_body_and_other_media_types() {
    let deleted = client(|| Route::delete("/{id}").public(), |_: Get| Ok(Deleted));
    let response = deleted.delete("/7").send();
    response.assert_status(204).assert_documented();
    assert!(response.bytes().is_empty());

    let table = client(|| Route::get("/{id}").public(), |_: Get| Ok(Table(RawBody("a,b".into()))));
    table.get("/7").send().assert_status(200).assert_header("Content-Type", "text/csv").assert_documented();
    let operation = table.api().operations().next().unwrap();
    assert_eq!(operation.inline_responses().next().unwrap().content.first().unwrap().name, "text/csv");
}

#[test]
fn json_requires_a_json_media_type() {
    let vendor = client(|| Route::get("/{id}").public(), |get: Get| Ok(Vendor(Pet { id: get.id })));
    let response = vendor.get("/7").send();
    response.assert_header("Content-Type", "application/vnd.pets+json; charset=utf-8").assert_documented();

    let errors = api(|| Route::get("/{id}").public(), |get: Get| Ok(Plain(Pet { id: get.id }))).unwrap_err();
    let [error] = errors.errors() else { panic!("{errors}") };
    assert!(
        error
            .message()
            .starts_with("a response declares `content_type = \"text/plain\"`, but its body is written as JSON"),
        "{errors}"
    );
}

#[test]
fn an_enum_has_a_status_per_variant() {
    let client = client(
        || Route::get("/{id}").public(),
        |get: Get| {
            Ok(match get.id {
                1 => Found::Pet(Pet { id: 1 }),
                2 => Found::Later { response: 30 },
                3 => Found::Moved("/1".to_owned()),
                _ => Found::Nothing,
            })
        },
    );
    client.get("/1").send().assert_status(200).assert_json(&json!({"id": 1})).assert_documented();
    client.get("/2").send().assert_status(202).assert_header("Retry-After", "30").assert_documented();
    client.get("/3").send().assert_status(303).assert_header("Location", "/1").assert_documented();
    client.get("/4").send().assert_status(204).assert_documented();
    let operation = client.api().operations().next().unwrap();
    let described = operation.inline_responses().map(|response| {
        (response.status.as_u16(), response.description.as_deref(), response.headers.len(), response.content.len())
    });
    assert_eq!(
        described.collect::<Vec<_>>(),
        [(200, Some("It is here."), 0, 1), (202, None, 1, 0), (303, None, 1, 0), (204, None, 0, 0)]
    );
}

#[test]
fn a_generic_response() {
    let client = client(|| Route::get("/{id}").public(), |get: Get| Ok(Data { data: vec![Pet { id: get.id }] }));
    client.get("/7").send().assert_json(&json!({"data": [{"id": 7}]})).assert_documented();
}
