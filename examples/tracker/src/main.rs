//! Serves the tracker at 127.0.0.1 and `PORT`, by default 8082. Generates an API key for each of three persons at the start.
//! Run it with `cargo run -p tracker`.
//!
//! The data is stored in the database at `DATABASE_URL`, by default `sqlite://tracker.db`, and the
//! attachments in the folder `FILES`, by default `tracker-files`.

use std::error::Error;

use restwright::Host;
use restwright::auth::ApiKey;
use tracker::roles::{Role, key_of};

#[expect(clippy::print_stdout, reason = "people who start the example read its address")]
fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let (mut keys, mut lines) = (Vec::new(), Vec::new());
    for (person, role) in [("vera", Role::Viewer), ("max", Role::Member), ("ada", Role::Admin)] {
        let key = ApiKey::generate(person)?;
        lines.push(format!("the key of {person}, {role:?} of north: {}", key.text()));
        keys.push(key_of(key.into_key(), person, "north", role));
    }
    let database = std::env::var("DATABASE_URL").unwrap_or_else(|_| "sqlite://tracker.db".to_owned());
    let port = std::env::var("PORT").unwrap_or_else(|_| "8082".to_owned());
    let port: u16 = port.parse().map_err(|error| format!("PORT is `{port}` and must be a port number: {error}"))?;
    let files = std::env::var("FILES").unwrap_or_else(|_| "tracker-files".to_owned());
    let api = tracker::api(keys, &database, files)?;
    restwright::run(async {
        let bound = Host::new(api).bind(("127.0.0.1", port))?;
        for address in bound.addresses() {
            println!("the tracker responds at http://{address}, documented at http://{address}/docs");
        }
        lines.iter().for_each(|line| println!("{line}"));
        bound.serve().await?;
        Ok(())
    })
}
