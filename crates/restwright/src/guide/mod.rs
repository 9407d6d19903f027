//! Guides in reading order. The tests run every example.
//!
//! Every build contains all pages. A link to an item of a disabled feature is dead; the pages on docs.rs are built with all features.

#![cfg_attr(
    not(all(
        feature = "actix",
        feature = "actix-web",
        feature = "api-key",
        feature = "caching",
        feature = "compression",
        feature = "conformance",
        feature = "cursor",
        feature = "idempotency",
        feature = "jwks",
        feature = "list",
        feature = "macros",
        feature = "metrics",
        feature = "okapi",
        feature = "openapi",
        feature = "opentelemetry",
        feature = "postgres",
        feature = "preset",
        feature = "rate-limit",
        feature = "redis",
        feature = "resource",
        feature = "sqlite",
        feature = "testing",
    )),
    allow(rustdoc::broken_intra_doc_links, reason = "items of features that are off do not exist")
)]

#[doc = include_str!("first_endpoint.md")]
pub mod first_endpoint {}

#[doc = include_str!("configuration.md")]
pub mod configuration {}

#[doc = include_str!("documents.md")]
pub mod documents {}

#[doc = include_str!("shapes.md")]
pub mod shapes {}

#[doc = include_str!("requests_and_responses.md")]
pub mod requests_and_responses {}

#[doc = include_str!("uploads_and_streams.md")]
pub mod uploads_and_streams {}

#[doc = include_str!("conditional_requests.md")]
pub mod conditional_requests {}

#[doc = include_str!("caching.md")]
pub mod caching {}

#[doc = include_str!("compression.md")]
pub mod compression {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("languages.md")]
pub mod languages {}

#[doc = include_str!("middlewares.md")]
pub mod middlewares {}

#[doc = include_str!("filtering.md")]
pub mod filtering {}

#[doc = include_str!("sorting.md")]
pub mod sorting {}

#[doc = include_str!("pagination.md")]
pub mod pagination {}

#[doc = include_str!("resources.md")]
pub mod resources {}

#[doc = include_str!("tenants.md")]
pub mod tenants {}

#[doc = include_str!("hooks.md")]
pub mod hooks {}

#[doc = include_str!("batches.md")]
pub mod batches {}

#[doc = include_str!("manual_crud.md")]
pub mod manual_crud {}

#[doc = include_str!("run_time_resources.md")]
pub mod run_time_resources {}

#[doc = include_str!("own_store.md")]
pub mod own_store {}

#[doc = include_str!("databases.md")]
pub mod databases {}

#[doc = include_str!("migrations.md")]
pub mod migrations {}

#[doc = include_str!("existing_table.md")]
pub mod existing_table {}

#[doc = include_str!("transactions.md")]
pub mod transactions {}

#[doc = include_str!("scaling_out.md")]
pub mod scaling_out {}

#[doc = include_str!("idempotency.md")]
pub mod idempotency {}

#[doc = include_str!("public_endpoints.md")]
pub mod public_endpoints {}

#[doc = include_str!("custom_authenticators.md")]
pub mod custom_authenticators {}

#[doc = include_str!("authorisation.md")]
pub mod authorisation {}

#[doc = include_str!("identity.md")]
pub mod identity {}

#[doc = include_str!("json_web_tokens.md")]
pub mod json_web_tokens {}

#[doc = include_str!("api_keys.md")]
pub mod api_keys {}

#[doc = include_str!("rate_limiting.md")]
pub mod rate_limiting {}

#[doc = include_str!("behind_browsers.md")]
pub mod behind_browsers {}

#[doc = include_str!("database_pool.md")]
pub mod database_pool {}

#[doc = include_str!("limits_and_attacks.md")]
pub mod limits_and_attacks {}

#[doc = include_str!("logs_and_tracing.md")]
pub mod logs_and_tracing {}

#[doc = include_str!("metrics.md")]
pub mod metrics {}

#[doc = include_str!("clients.md")]
pub mod clients {}

#[doc = include_str!("health_and_shutdown.md")]
pub mod health_and_shutdown {}

#[doc = include_str!("deployment.md")]
pub mod deployment {}

#[doc = include_str!("actix_web_app.md")]
pub mod actix_web_app {}

#[doc = include_str!("recipes.md")]
pub mod recipes {}

#[doc = include_str!("from_axum.md")]
pub mod from_axum {}

#[doc = include_str!("from_actix_web.md")]
pub mod from_actix_web {}

#[doc = include_str!("from_fastapi.md")]
pub mod from_fastapi {}

#[doc = include_str!("application_in_django.md")]
pub mod application_in_django {}

#[doc = include_str!("application_in_fastapi.md")]
pub mod application_in_fastapi {}
