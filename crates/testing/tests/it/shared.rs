//! An Api that tests share, and what failed assertions print.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use restwright::Documentation;
use restwright::prelude::*;
use restwright_testing::{TestClient, assert_guests_only_at};

static API: LazyLock<Api> = LazyLock::new(|| crate::app::client().api().clone());

#[test]
fn threads_share_an_api() {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                TestClient::new(API.clone()).get("/notes").send().assert_status(200).assert_documented();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_failed_assertion_prints_the_cause_of_a_500() {
    let response = TestClient::new(API.clone()).get("/panics").send();
    let cause = response.cause().unwrap().to_owned();
    let failed = catch_unwind(AssertUnwindSafe(|| {
        response.assert_status(200);
    }));
    let message = *failed.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains(&format!("cause, which the client does not see: {cause}")), "{message}");
    assert!(!response.text().contains(&cause));
    assert_eq!(TestClient::new(API.clone()).get("/notes/8").send().cause(), None);
}

#[test]
fn documentation_may_be_open_without_a_name() {
    let api = || Api::builder(Configuration::new("a", "1")).module(&Documentation::public()).build().unwrap();
    assert_guests_only_at(&api(), [""; 0]);
    assert_guests_only_at(&api(), vec!["GET /docs".to_owned()]);
    assert_guests_only_at(&api(), &["GET /docs".to_owned()]);
}
