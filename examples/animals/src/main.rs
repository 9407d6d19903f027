//! Serves the animals at `HOST` and `PORT`, by default 127.0.0.1 and 8080, to each client address `RATE_LIMIT` times a
//! minute, by default 600.
//!
//! The animals are in the file `animals.db` of the current folder. The feature `postgres` accepts PostgreSQL at `DATABASE_URL`. With
//! `--no-default-features` they are in memory.
//!
//! `CORS_ORIGINS` names the origins of pages that may read responses, with commas between them.
//!
//! `DEV_API_KEY` (`<id>.<secret>`) is a key that may do everything. With the feature `jwks`, `JWKS_URL`, `JWT_ISSUER` and
//! `JWT_AUDIENCE` name a provider of tokens. Without all of these a key is made and printed.

use std::env;
use std::error::Error;
use std::num::NonZeroU32;
use std::process::ExitCode;

use animals::Database;
use animals::authentication::Authentication;
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
    // A full disk costs lines of the log and no response.
    tracing_subscriber::fmt().with_writer(|| LogOutput::new(std::io::stdout())).init();
    let host = env::var("HOST").unwrap_or_else(|_| "127.0.0.1".to_owned());
    let port = env::var("PORT").unwrap_or_else(|_| "8080".to_owned());
    let port: u16 = port.parse().map_err(|error| format!("PORT is `{port}` and has to be a port number: {error}"))?;
    let limit = env::var("RATE_LIMIT").unwrap_or_else(|_| "600".to_owned());
    let limit: NonZeroU32 = limit
        .parse()
        .map_err(|error| format!("RATE_LIMIT is `{limit}` and has to be a number of requests: {error}"))?;
    let (authentication, made) = Authentication::from_variables(|name| env::var(name).ok())?;
    let database = Database::from_variables(|name| env::var(name).ok())?;
    let store = animals::store_at(&database.url);
    let origins = env::var("CORS_ORIGINS").unwrap_or_default();
    let api = animals::api_for_pages(&origins, &authentication, limit.get(), store)?;
    restwright::run(async {
        let bound = Host::new(api).bind((host.as_str(), port))?;
        announce(bound.addresses(), &database.place, made.as_ref());
        bound.serve().await?;
        Ok(())
    })
}

#[expect(clippy::print_stdout, reason = "people who start the example read its address")]
fn announce(addresses: &[std::net::SocketAddr], place: &str, made: Option<&NewApiKey>) {
    println!("animals are stored in {place}");
    for address in addresses {
        println!("animals respond at http://{address}, documented at http://{address}/docs");
        if let Some(made) = made {
            println!("try: curl -i -H 'X-Api-Key: {}' 'http://{address}/pets?limit=3'", made.text());
        }
    }
}
