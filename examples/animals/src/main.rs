//! Serves the animals at `HOST` and `PORT`, by default 127.0.0.1 and 8080. `RATE_LIMIT` is the number of requests per minute and client address, by
//! default 600.
//!
//! The animals are stored in the file `animals.db` of the current folder, or in the database at `DATABASE_URL`. PostgreSQL requires the feature
//! `postgres`. With `--no-default-features`, the animals are in memory.
//!
//! `CURSOR_KEY` is the key that authenticates cursors, of at least 32 bytes. Without it, cursors are valid until the server stops.
//!
//! `CORS_ORIGINS` lists the origins of pages that may read responses, separated by commas.
//!
//! `DEV_API_KEY` (`<id>.<secret>`) is an API key with all scopes. With the feature `jwks`, `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE` set an issuer
//! of tokens. If neither is set, the server generates and prints a key.

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::process::ExitCode;

use animals::authentication::Authentication;
use animals::{Cursors, Database};
use restwright::Host;
use restwright::auth::NewApiKey;
use restwright::production::LogOutput;

#[expect(clippy::print_stderr, reason = "people who start the example read why it does not start")]
fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    // On a full disk, `LogOutput` drops log lines, and responses do not change.
    tracing_subscriber::fmt().with_writer(|| LogOutput::new(std::io::stdout())).init();
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".to_owned());
    let port = env::var("PORT").unwrap_or_else(|_| "8080".to_owned());
    let port: u16 = port.parse().map_err(|error| format!("PORT is `{port}` and must be a port number: {error}"))?;
    let limit = env::var("RATE_LIMIT").unwrap_or_else(|_| "600".to_owned());
    let limit: NonZeroU32 =
        limit.parse().map_err(|error| format!("RATE_LIMIT is `{limit}` and must be a number of requests: {error}"))?;
    let (authentication, made) = Authentication::from_variables(|name| env::var(name).ok())?;
    let database = Database::from_variables(|name| env::var(name).ok())?;
    let store = animals::store_at(&database.url);
    let cursors = Cursors::from_variables(|name| env::var(name).ok())?;
    let origins = env::var("CORS_ORIGINS").unwrap_or_default();
    let api = animals::api_for_pages(&origins, &authentication, limit.get(), store, Some(cursors.key))?;
    restwright::run(async {
        let bound = Host::new(api).bind((host.as_str(), port))?;
        announce(bound.addresses(), &database.place, cursors.is_generated, made.as_ref());
        bound.serve().await?;
        Ok(())
    })
}

/// Prints the addresses before the first line of the log.
#[expect(clippy::print_stdout, reason = "people who start the example read its address")]
fn announce(addresses: &[SocketAddr], place: &str, expire_with_server: bool, made: Option<&NewApiKey>) {
    for address in addresses {
        println!("animals respond at http://{address}, documented at http://{address}/docs");
    }
    for address in addresses {
        if let Some(made) = made {
            println!("try: curl -i -H 'X-Api-Key: {}' 'http://{address}/pets?limit=3'", made.text());
        }
    }
    println!("animals are stored in {place}");
    if expire_with_server {
        println!(
            "cursors are valid until the server stops; set CURSOR_KEY to at least 32 random bytes to keep them valid"
        );
    }
}
