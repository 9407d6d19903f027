//! Serves the shop at `LISTEN`, by default 127.0.0.1:8084, and its metrics at `METRICS`, by default 127.0.0.1:9464. Orders are in the database at
//! `DATABASE_URL`, by default in the file `shop.db`. It prints a key with all scopes, and a key that only reads.

use std::env;

use restwright::auth::ApiKey;
use restwright::production::{Metrics, log_panics};
use restwright::{Host, ServeError};

#[expect(clippy::print_stdout, reason = "people who start the example read its keys")]
fn main() -> Result<(), ServeError> {
    tracing_subscriber::fmt().json().init();
    log_panics();
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let metrics = Metrics::new().listener_at(variable("METRICS", "127.0.0.1:9464"));
    let scopes = ["orders:read", "orders:create", "orders:update", "orders:delete"];
    let mut keys = Vec::new();
    for (id, scopes) in [("manager", &scopes[..]), ("reader", &scopes[..1])] {
        let key = ApiKey::generate(id).map_err(std::io::Error::other)?;
        println!("{id} {}", key.text());
        keys.push(key.into_key().scopes(scopes.iter().copied()));
    }
    let api = operations::api(keys, &variable("DATABASE_URL", "sqlite://shop.db"), metrics)?;
    restwright::run(Host::new(api).bind(variable("LISTEN", "127.0.0.1:8084"))?.serve())
}
