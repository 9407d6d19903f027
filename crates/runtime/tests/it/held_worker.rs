//! Handlers that block their worker.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use restwright_core::http::StatusCode;
use restwright_core::{Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};

/// Blocks its thread, before or after it waits for something else.
struct Block {
    path: &'static str,
    waits: bool,
    blocks: Duration,
}

impl Controller for Block {
    type Request = Input;
    type Response = Output;

    fn route(&self) -> Route {
        Route::get(self.path).id(self.path).public().deadline(Duration::from_millis(50)).empty_response(204)
    }

    async fn handle(&self, _: Input) -> Result<Output> {
        if self.waits {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        std::thread::sleep(self.blocks);
        Ok(Output::new(StatusCode::NO_CONTENT, ()))
    }
}

#[test]
fn a_handler_that_holds_its_worker_past_the_deadline_is_a_warning_with_the_route() {
    let block = |path, waits, millis| Block { path, waits, blocks: Duration::from_millis(millis) };
    let api = Api::builder(Configuration::new("held", "1.0.0"))
        .controller(block("/short", false, 0))
        .controller(block("/long", false, 60))
        .controller(block("/later", true, 60))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    for (path, warns) in [("/short", false), ("/long", true), ("/later", true)] {
        let log = Log::default();
        tracing::subscriber::with_default(log.clone(), || client.get(path).send());
        let log = log.0.lock().unwrap();
        let warned = log.contains("a handler held its worker past the deadline");
        assert_eq!(warned, warns, "{path}: {log}");
        assert!(!warns || log.contains(&format!("route={path:?}")), "{path}: {log}");
    }
}

/// The fields of all events.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut |field: &Field, value: &dyn Debug| {
            self.0.lock().unwrap().push_str(&format!("{field}={value:?} "));
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
