//! The table of statuses by operation, caller and identifier.

use std::panic::{AssertUnwindSafe, catch_unwind};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::{Configuration, NoContent, Problem, Route};
use restwright_runtime::{Api, core};
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
fn a_limit_of_requests_does_not_reach_other_cells() {
    let opened = Arc::new(AtomicUsize::new(0));
    let open = || {
        opened.fetch_add(1, Ordering::Relaxed);
        let sent = AtomicUsize::new(0);
        let view = Route::get("/limited").id("viewLimited").public().problem(catalogue::RATE_LIMITED);
        let view = view.handler(async move |(): ()| -> core::Result<NoContent> {
            if sent.fetch_add(1, Ordering::Relaxed) < 2 {
                Ok(NoContent)
            } else {
                Err(Problem::new(catalogue::RATE_LIMITED))
            }
        });
        let api = Api::builder(Configuration::new("limited", "1.0.0")).controller(view).build().unwrap();
        (TestClient::new(api), Places::new())
    };
    let matrix = ["a", "b", "c", "d", "e"]
        .iter()
        .fold(TestClient::access_matrix(&open), |matrix, caller| matrix.caller(caller, &[]));
    matrix.send().assert("operation identifier a b c d e\nGET /limited - 204 204 204 204 204");
    // For the operations, and for two callers each.
    assert_eq!(opened.load(Ordering::Relaxed), 4);
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
