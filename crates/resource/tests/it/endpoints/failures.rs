//! Stores that fail.

use restwright_resource::StoreError;

use super::Shelter;

const CREATE: (&str, Option<&str>) = ("POST /animals", Some(r#"{"name": "Mia", "species": "cat"}"#));
const UPDATE: (&str, Option<&str>) = ("PATCH /animals/{ada}", Some(r#"{"name": "Bo"}"#));
const DELETE: (&str, Option<&str>) = ("DELETE /animals/{rex}", None);
const VIEW: (&str, Option<&str>) = ("GET /animals/{ada}", None);
const LIST: (&str, Option<&str>) = ("GET /animals", None);

/// Checks the status of requests after this number of errors, and the number of remaining errors.
fn check(error: fn() -> StoreError, count: usize, expected: &[((&str, Option<&str>), u16)], left: usize) {
    for ((request, body), status) in expected {
        let shelter = Shelter::new();
        shelter.store.fail(std::iter::repeat_with(error).take(count));
        let response = shelter.send(request, &[], *body);
        assert_eq!(response.status(), *status, "{request}: {response:?}");
        assert_eq!(shelter.store.failures_left(), left, "{request}");
        match *status {
            500 => drop(response.assert_problem("internal_error")),
            503 => drop(response.assert_problem("unavailable").assert_header("retry-after", "1")),
            _ => {}
        }
        assert!(*status < 500 || !response.text().contains("the disk"), "{response:?}");
        assert!(*status < 500 || response.cause().is_some(), "{response:?}");
    }
}

#[test]
fn an_unreachable_store_is_503() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 503));
    check(|| StoreError::unavailable("the disk is away"), 1, &expected, 0);
}

#[test]
fn a_failing_store_is_500() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 500));
    check(|| StoreError::failed("the disk is broken"), 1, &expected, 0);
}

#[test]
fn retries_conflicts_of_transactions() {
    let expected = [(CREATE, 201), (UPDATE, 200), (DELETE, 204), (VIEW, 200), (LIST, 200)];
    check(|| StoreError::TransactionConflict, 31, &expected, 0);
}

#[test]
fn persistent_conflicts_are_503() {
    let expected = [CREATE, UPDATE, DELETE, VIEW, LIST].map(|request| (request, 503));
    check(|| StoreError::TransactionConflict, 40, &expected, 8);
    check(|| StoreError::StaleVersion, 32, &[(DELETE, 503)], 0);
}
