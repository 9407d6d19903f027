//! The table of statuses by operation, caller and identifier.

use std::panic::{AssertUnwindSafe, catch_unwind};

use restwright_testing::TestClient;
use serde_json::json;

type Places = Vec<(&'static str, String)>;

fn open() -> (TestClient, Places) {
    (crate::app::client(), vec![("own", "/notes/7".to_owned()), ("missing", "/notes/8".to_owned())])
}

const TABLE: &str = "
operation           identifier  guest  ann
GET /download       -           422    422
GET /notes          -           200    200
POST /notes         -           201    201
GET /notes/{id}     own         200    200
GET /notes/{id}     missing     404    404
DELETE /notes/{id}  own         204    204
DELETE /notes/{id}  missing     204    204
GET /panics         -           500    500
GET /private        -           401    204
GET /slow           -           503    503
PUT /upload         -           200    200
";

#[test]
fn each_operation_is_sent_as_each_caller_for_each_identifier() {
    let matrix = TestClient::access_matrix(open)
        .caller("guest", &[])
        .caller("ann", &[("Authorization", "Bearer secrets")])
        .body("createNote", json!({"text": "Buy milk", "rank": 1}))
        .send();
    matrix.assert(TABLE);
}

#[test]
fn a_difference_is_shown_with_the_whole_table() {
    let matrix = TestClient::access_matrix(open).caller("guest", &[]).send();
    let table = matrix.to_string();
    let message = message(|| matrix.assert(&table.replace("GET /private", "GET /secret")));
    for part in ["Only found:\nGET /private - 401", "Only expected:\nGET /secret - 401", &*table] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
}

#[test]
fn names_that_fit_nothing_are_errors() {
    let unfit = || (crate::app::client(), vec![("own", "/pets/1".to_owned())]);
    let found = message(|| drop(TestClient::access_matrix(unfit).send()));
    assert_eq!(found, "no operation has a path parameter for `/pets/1` (the identifier `own`)");
    let none = || (crate::app::client(), Places::new());
    let found = message(|| drop(TestClient::access_matrix(none).send()));
    assert_eq!(found, "no identifier fits `GET /notes/{id}`; return the path of an entity from the function");
    let found = message(|| drop(TestClient::access_matrix(open).body("createPet", json!({})).send()));
    assert_eq!(found, "no operation has the id `createPet` (in `.body(..)`)");
}

fn message(run: impl FnOnce()) -> String {
    *catch_unwind(AssertUnwindSafe(run)).unwrap_err().downcast::<String>().unwrap()
}
