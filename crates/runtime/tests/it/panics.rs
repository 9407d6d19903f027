//! A panic becomes a 500, which the middlewares around it receive.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use restwright_core::auth::Access;
use restwright_core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_core::{AfterAuthentication, Configuration, Controller, Input, Middleware, Next, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde_json::Value;

/// The place of the panic.
#[derive(Debug, Clone, Copy, PartialEq)]
enum At {
    Nowhere,
    /// In `handle` itself, before it returns a future.
    Call,
    /// In the future, before the rest of the pipeline runs.
    Before,
    /// In the future, after the rest of the pipeline has run.
    After,
    /// When the future is dropped.
    Drop,
}

const EVERYWHERE: [At; 4] = [At::Call, At::Before, At::After, At::Drop];

/// Records the statuses of responses.
struct Recorder(Arc<Mutex<Vec<u16>>>);

impl Middleware for Recorder {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let response = next.run(request).await;
        self.0.lock().unwrap().push(response.status().as_u16());
        Ok(response)
    }
}

/// A middleware that panics.
struct Panicking(At);

impl Middleware for Panicking {
    fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> impl Future<Output = Result<HttpResponse>> {
        let at = self.0;
        assert_ne!(at, At::Call);
        let call = async move {
            assert_ne!(at, At::Before);
            let response = next.run(request).await;
            assert_ne!(at, At::After);
            Ok(response)
        };
        Armed(Box::pin(call), at)
    }
}

/// A controller that panics.
struct Acting(At);

impl Controller for Acting {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        Route::get("/act").access(Access::public()).empty_response(204)
    }

    fn handle(&self, _: Input) -> impl Future<Output = Result<Output>> {
        let at = self.0;
        assert_ne!(at, At::Call);
        let call = async move {
            assert_ne!(at, At::Before);
            tokio::task::yield_now().await;
            assert_ne!(at, At::After);
            Ok(Output::new(StatusCode::NO_CONTENT, Value::Null))
        };
        Armed(Box::pin(call), at)
    }
}

/// A future whose drop panics.
struct Armed<F>(Pin<Box<F>>, At);

impl<F: Future> Future for Armed<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.0.as_mut().poll(context)
    }
}

impl<F> Drop for Armed<F> {
    fn drop(&mut self) {
        assert_ne!(self.1, At::Drop);
    }
}

/// Sends a request through three middlewares, of which the second panics. Returns the statuses that the other two
/// received, the inner one first, and the status of the response.
fn send(middleware: At, controller: At, path: &str) -> (Vec<u16>, u16) {
    let seen = Arc::default();
    let api = Api::builder(Configuration::new("panics", "1.0.0"))
        .middleware(Recorder(Arc::clone(&seen)))
        .middleware(Panicking(middleware))
        .middleware(AfterAuthentication(Recorder(Arc::clone(&seen))))
        .controller(Acting(controller))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    let response = client.get(path).send();
    if response.status() == 500 {
        let problem: Value = response.json();
        assert_eq!(problem["code"], "internal_error");
        assert!(!problem.to_string().contains("At::") && !problem.to_string().contains("assertion"), "{problem}");
        response.assert_header("x-request-id", problem["request_id"].as_str().unwrap());
    }
    let status = response.status().as_u16();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (seen, status)
}

#[test]
fn outer_middlewares_receive_the_response_to_a_panic_of_the_controller() {
    for at in EVERYWHERE {
        assert_eq!(send(At::Nowhere, at, "/act"), (vec![500, 500], 500), "{at:?}");
    }
    assert_eq!(send(At::Nowhere, At::Nowhere, "/act"), (vec![204, 204], 204));
}

#[test]
fn outer_middlewares_receive_the_response_to_a_panic_of_a_middleware() {
    for at in EVERYWHERE {
        let inside = if matches!(at, At::After | At::Drop) { vec![204] } else { Vec::new() };
        assert_eq!(send(at, At::Nowhere, "/act"), ([inside, vec![500]].concat(), 500), "{at:?}");
        assert_eq!(send(at, At::Nowhere, "/none"), (vec![500], 500), "{at:?} without a route");
    }
}

#[test]
fn the_outermost_middleware_may_panic_too() {
    for at in EVERYWHERE {
        let api = Api::builder(Configuration::new("panics", "1.0.0"))
            .middleware(Panicking(at))
            .controller(Acting(At::Nowhere))
            .build()
            .unwrap();
        let client = TestClient::new(api);
        client.get("/act").send().assert_status(500).assert_documented();
        client.get("/act").send().assert_status(500);
    }
}
