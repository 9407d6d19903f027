//! `#[derive(Request)]`.

use restwright::auth::Identity;
use restwright::schema::Invalid;
use restwright::{Request, Response, Route, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{api, client};

#[derive(Deserialize, Schema)]
struct Changes {
    #[property(min_length = 1)]
    name: String,
}

/// Fields have the names that the emitted code uses itself.
#[derive(Request)]
struct Update {
    /// Which one.
    #[segment]
    #[property(minimum = 1)]
    id: i64,
    #[header]
    if_match: Option<String>,
    #[query("verbose-level")]
    #[property(maximum = 3, default = 1)]
    plan: u8,
    #[query]
    #[property(max_items = 2, items(max_length = 3))]
    reader: Vec<String>,
    #[cookie]
    #[deprecated]
    session: Option<String>,
    #[body]
    errors: Changes,
    identity: Identity,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Echo {
    read: Value,
}

fn update() -> restwright::testing::TestClient {
    client(
        || Route::put("/pets/{id}").public(),
        |request: Update| {
            #[allow(deprecated, reason = "it is what is tested")]
            let session = request.session;
            let Update { id, if_match, plan, reader, errors, identity, .. } = request;
            Ok(Echo { read: json!([id, if_match, plan, reader, session, errors.name, identity.is_guest()]) })
        },
    )
}

#[test]
fn every_part_is_read_from_its_place() {
    let client = update();
    let response = client
        .put("/pets/7?verbose-level=2&reader=a&reader=b")
        .header("If-Match", "\"x\"")
        .header("Cookie", "session=s")
        .json(&json!({"name": "Rex"}))
        .send();
    response.assert_status(200).assert_json(&json!({"read": [7, "\"x\"", 2, ["a", "b"], "s", "Rex", true]}));
    let response = client.put("/pets/7").json(&json!({"name": "Rex"})).send();
    response.assert_json(&json!({"read": [7, null, 1, [], null, "Rex", true]}));
}

#[test]
fn violations_of_all_parts_come_back_together() {
    let response = update().put("/pets/0?verbose-level=4&reader=abcd").json(&json!({"name": ""})).send();
    response.assert_violations([
        ("path", "/id", "minimum"),
        ("query", "/verbose-level", "maximum"),
        ("query", "/reader/0", "max_length"),
        ("body", "/name", "min_length"),
    ]);
}

#[test]
fn every_part_is_described() {
    let client = update();
    let operation = client.api().operations().next().unwrap();
    let parameters = operation.parameters.iter().map(|parameter| {
        (
            parameter.location.as_str(),
            &*parameter.name,
            parameter.required,
            parameter.deprecated,
            parameter.description.as_deref(),
        )
    });
    assert_eq!(
        parameters.collect::<Vec<_>>(),
        [
            ("path", "id", true, false, Some("Which one.")),
            ("header", "If-Match", false, false, None),
            ("query", "verbose-level", false, false, None),
            ("query", "reader", false, false, None),
            ("cookie", "session", false, true, None),
        ]
    );
    assert!(operation.request_body.as_ref().is_some_and(|body| body.required));
}

#[derive(Request)]
struct Nothing;

#[derive(Request)]
struct Braces {}

#[derive(Request)]
struct Tuple(#[segment("id")] i64, #[body] Changes);

#[derive(Request)]
struct Replace<T> {
    #[segment]
    id: i64,
    #[body]
    with: T,
}

#[test]
fn requests_of_every_form() {
    let empty = json!({"read": null});
    let unit = client(|| Route::get("/").public(), |_: Nothing| Ok(Echo { read: Value::Null }));
    unit.get("/").send().assert_json(&empty);
    let braces = client(|| Route::get("/").public(), |_: Braces| Ok(Echo { read: Value::Null }));
    braces.get("/").send().assert_json(&empty);
    let tuple = client(
        || Route::post("/{id}").public(),
        |Tuple(id, changes): Tuple| Ok(Echo { read: json!([id, changes.name]) }),
    );
    tuple.post("/3").json(&json!({"name": "a"})).send().assert_json(&json!({"read": [3, "a"]}));
    let generic = client(
        || Route::post("/{id}").public(),
        |Replace { id, with }: Replace<Changes>| Ok(Echo { read: json!([id, with.name]) }),
    );
    generic.post("/3").json(&json!({"name": "a"})).send().assert_json(&json!({"read": [3, "a"]}));
}

#[test]
fn mistakes_of_all_parts_come_back_together() {
    #[derive(Request)]
    struct Wrong {
        #[segment]
        _id: i64,
        #[header("no header")]
        _header: String,
    }
    let errors = api(|| Route::get("/{id}").public(), |_: Wrong| Ok(Echo { read: Value::Null })).unwrap_err();
    assert_eq!(errors.messages().len(), 2, "{errors}");
}

#[test]
fn the_checks_of_a_parameters_type_run() {
    #[derive(Debug, Deserialize, Schema)]
    struct Even(#[property(maximum = 100, validate = even)] i64);

    fn even(value: &i64) -> Result<(), Invalid> {
        if value % 2 == 0 { Ok(()) } else { Err(Invalid::new("odd", "must be even")) }
    }

    #[derive(Request)]
    struct Get {
        #[segment]
        id: Even,
        #[query]
        more: Vec<Even>,
    }
    let client = client(
        || Route::get("/{id}").public(),
        |get: Get| Ok(Echo { read: json!([get.id.0, get.more.iter().map(|even| even.0).collect::<Vec<_>>()]) }),
    );
    client.get("/2?more=4").send().assert_json(&json!({"read": [2, [4]]}));
    client.get("/3?more=4&more=5").send().assert_violations([("path", "/id", "odd"), ("query", "/more/1", "odd")]);
    client.get("/102").send().assert_violations([("path", "/id", "maximum")]);
}
