use restwright::prelude::*;

/// The service is running.
#[derive(serde::Serialize, Schema, Response)]
#[response(status = 200)]
struct Health {
    /// Always `ok`.
    status: &'static str,
}

pub(crate) fn health() -> impl Controller {
    Route::get("/health")
        .id("health")
        .summary("Liveness")
        .description("Returns 200 while the process is running.")
        .public()
        .handler(async |()| Ok(Health { status: "ok" }))
}
