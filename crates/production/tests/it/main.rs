//! What is for production, as browsers, caches and operators see it: through sockets.

#![cfg(test)]

restwright_tests::facade!(actix, api_key, list, openapi, production, rate_limit, resource, testing);

mod caching;
mod compression;
mod cors;
mod deprecated;
mod errors;
#[cfg(target_os = "linux")]
mod full_log;
mod health;
mod metrics;
mod otlp;
mod preset;
mod registered_late;
mod request_log;
mod security_headers;
mod server;
mod trace_context;
mod turns;
