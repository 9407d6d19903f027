//! The client in async tests, and its own runtime outside of them.

use std::future::{Future, IntoFuture};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use restwright::{Api, Component, ComponentError, Configuration};
use restwright_testing::TestClient;

use crate::app::client;

#[tokio::test]
async fn a_request_is_awaited() {
    client().get("/notes/7").await.assert_status(200).assert_documented();
}

#[tokio::test]
async fn sending_inside_a_runtime_says_what_to_do() {
    let client = client();
    let request = client.get("/notes/7");
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| request.send())).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("use `the request itself` with `.await`"), "{message}");
}

#[tokio::test]
async fn requests_in_flight_at_once_share_the_cap() {
    let client = client();
    let mut first = pin!(client.get("/slow").into_future());
    let mut second = pin!(client.get("/slow").into_future());
    std::future::poll_fn(|context| {
        assert!(first.as_mut().poll(context).is_pending() && second.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    client.get("/notes").await.assert_status(503).assert_problem("overloaded").assert_documented();
    first.await.assert_problem("deadline_exceeded");
    client.get("/notes").await.assert_status(200);
}

/// Needs a runtime with a clock.
struct Clock;

impl Component for Clock {
    fn name(&self) -> &str {
        "clock"
    }

    async fn start(&self) -> Result<(), ComponentError> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(())
    }
}

#[test]
fn components_run_on_the_runtime_of_the_client() {
    let api = Api::builder(Configuration::new("clock", "1")).component(Clock).build().unwrap();
    let client = TestClient::new(api);
    client.start().unwrap();
    client.stop();
}
