//! Handlers that block their worker.

use std::time::Duration;

use restwright_core::http::StatusCode;
use restwright_core::{Configuration, Controller, Input, Output, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use restwright_tests::Log;
use tracing::Level;

/// Blocks its thread, before or after awaiting something else.
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
fn warns_about_a_handler_that_blocks_its_worker() {
    let block = |path, waits, millis| Block { path, waits, blocks: Duration::from_millis(millis) };
    let api = Api::builder(Configuration::new("held", "1.0.0"))
        .controller(block("/short", false, 0))
        .controller(block("/long", false, 60))
        .controller(block("/later", true, 60))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    for (path, warns) in [("/short", false), ("/long", true), ("/later", true)] {
        let log = Log::up_to(Level::WARN);
        log.during(|| client.get(path).send());
        let lines = log.take("a handler blocked its worker past the deadline");
        assert_eq!(lines.len(), usize::from(warns), "{path}: {lines:?}");
        assert!(lines.iter().all(|line| line.contains(&format!("route={path:?}"))), "{path}: {lines:?}");
    }
}
