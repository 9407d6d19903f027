//! `#[derive(Part)]`.

use restwright::auth::Identity;
use restwright::{Part, Request, Response, Route, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{api, client};

/// Fields have the names that the emitted code uses itself.
#[derive(Part)]
struct Area {
    /// The southern edge.
    #[query]
    #[property(minimum = -90)]
    south: f64,
    #[query("north-edge")]
    plan: f64,
    #[header]
    if_match: Option<String>,
}

#[derive(Part)]
struct Place {
    #[segment]
    #[property(minimum = 1)]
    head: i64,
    #[cookie]
    violations: Option<String>,
    area: Area,
    identity: Identity,
}

#[derive(Part)]
struct Nothing;

#[derive(Part)]
struct Pair<T>(#[query("key")] String, T);

#[derive(Deserialize, Schema)]
struct Body {
    #[property(min_length = 1)]
    name: String,
}

#[derive(Request)]
struct Inside {
    #[body]
    body: Body,
    place: Place,
    _nothing: Nothing,
    pair: Pair<Identity>,
}

/// The same fields without parts.
#[derive(Request)]
#[expect(dead_code, reason = "it is described alone")]
struct Written {
    #[body]
    body: Body,
    #[segment]
    #[property(minimum = 1)]
    head: i64,
    #[cookie]
    violations: Option<String>,
    /// The southern edge.
    #[query]
    #[property(minimum = -90)]
    south: f64,
    #[query("north-edge")]
    plan: f64,
    #[header]
    if_match: Option<String>,
    identity: Identity,
    #[query]
    key: String,
}

#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Echo {
    read: Value,
}

fn route() -> Route {
    Route::put("/places/{head}").public()
}

fn inside() -> restwright::testing::TestClient {
    client(route, |request: Inside| {
        let Inside { body, place: Place { head, violations, area, identity }, pair: Pair(key, caller), .. } = request;
        let guests = [identity.is_guest(), caller.is_guest()];
        Ok(Echo { read: json!([body.name, head, violations, area.south, area.plan, area.if_match, guests, key]) })
    })
}

#[test]
fn the_fields_of_a_part_are_read_from_their_places() {
    let response = inside()
        .put("/places/7?south=-1.5&north-edge=2&key=k")
        .header("If-Match", "\"x\"")
        .header("Cookie", "violations=v")
        .json(&json!({"name": "Rex"}))
        .send();
    response.assert_status(200).assert_json(&json!({"read": ["Rex", 7, "v", -1.5, 2.0, "\"x\"", [true, true], "k"]}));
}

#[test]
fn violations_of_a_part_are_those_of_its_fields() {
    let response = inside().put("/places/0?south=-91&key=k").json(&json!({"name": ""})).send();
    response.assert_violations([
        ("path", "/head", "minimum"),
        ("query", "/south", "minimum"),
        ("query", "/north-edge", "required"),
        ("body", "/name", "min_length"),
    ]);
}

#[test]
fn a_part_is_described_as_its_fields_in_the_request() {
    let written = client(route, |_: Written| Ok(Echo { read: Value::Null }));
    let parameters = |client: &restwright::testing::TestClient| {
        let operation = client.api().operations().next().unwrap();
        format!("{:#?}", operation.parameters)
    };
    assert_eq!(parameters(&inside()), parameters(&written));
}

#[test]
fn a_parameter_that_two_parts_read_is_a_mistake() {
    #[derive(Part)]
    struct Other {
        #[query("south")]
        _south: f64,
    }
    #[derive(Request)]
    struct Twice {
        _area: Area,
        _other: Other,
    }
    let errors = api(|| Route::get("/").public(), |_: Twice| Ok(Echo { read: Value::Null })).unwrap_err();
    assert!(errors.to_string().contains("two parameters in the query are named `south`"), "{errors}");
}

#[test]
fn mistakes_of_all_fields_come_back_together() {
    #[derive(Part)]
    struct Wrong {
        #[segment]
        _missing: i64,
        #[header("no header")]
        _header: String,
    }
    #[derive(Request)]
    struct WithWrong {
        _wrong: Wrong,
    }
    let errors = api(|| Route::get("/").public(), |_: WithWrong| Ok(Echo { read: Value::Null })).unwrap_err();
    assert_eq!(errors.messages().len(), 2, "{errors}");
}
