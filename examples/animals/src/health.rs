//! The smallest endpoint: a controller, a request and a response.

use restwright::prelude::*;
use serde::Serialize;

/// Nothing is read.
#[derive(Request)]
pub struct HealthRequest;

/// The service is up.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
pub struct HealthResponse {
    /// Always `ok`.
    status: &'static str,
}

/// Says that the service is up.
pub struct Health;

impl Controller for Health {
    type Request = HealthRequest;
    type Response = HealthResponse;

    fn route(&self) -> Route {
        Route::get("/health").summary("Liveness").tag("System").public()
    }

    async fn handle(&self, _: HealthRequest) -> Result<HealthResponse> {
        Ok(HealthResponse { status: "ok" })
    }
}
