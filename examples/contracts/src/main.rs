//! Serves the contracts at 127.0.0.1 and `PORT`, by default 8081. Generates an API key for each of two tenants at the start.
//! Run it with `cargo run -p contracts`.
//!
//! The data is stored in the database at `DATABASE_URL`, by default `sqlite://contracts.db`.

use std::error::Error;

use restwright::Host;
use restwright::auth::{ApiKey, NewApiKey};

#[expect(clippy::print_stdout, reason = "people who start the example read its address")]
fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let keys = [ApiKey::generate("north")?, ApiKey::generate("south")?];
    let stored = keys.iter().map(NewApiKey::key).map(|key| contracts::key_of(key.clone(), key.id()));
    let database = std::env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://contracts.db".to_owned());
    let port = std::env::var("PORT").unwrap_or_else(|_| "8081".to_owned());
    let port: u16 = port.parse().map_err(|error| format!("PORT is `{port}` and must be a port number: {error}"))?;
    let api = contracts::api(stored, &database)?;
    restwright::run(async {
        let bound = Host::new(api).bind(("127.0.0.1", port))?;
        for address in bound.addresses() {
            println!("contracts respond at http://{address}, documented at http://{address}/docs");
        }
        for key in &keys {
            println!("the key of {}: {}", key.key().id(), key.text());
        }
        bound.serve().await?;
        Ok(())
    })
}
