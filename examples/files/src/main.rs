//! Serves the documents at 127.0.0.1 and `PORT`, by default 8083, with a page at `/`. The files are in the folder `FILES`, by default `files`.
//! Run it with `cargo run -p files`.

use std::error::Error;
use std::path::PathBuf;

#[expect(clippy::print_stdout, reason = "people who start the example read its address")]
fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let folder = std::env::var_os("FILES").map_or_else(|| PathBuf::from("files"), PathBuf::from);
    let port = std::env::var("PORT").unwrap_or_else(|_| "8083".to_owned());
    let port: u16 = port.parse().map_err(|error| format!("PORT is `{port}` and must be a port number: {error}"))?;
    std::fs::create_dir_all(&folder)?;
    let api = files::api(folder)?;
    restwright::run(async {
        let bound = restwright::Host::new(api).bind(("127.0.0.1", port))?;
        for address in bound.addresses() {
            println!(
                "documents respond at http://{address}, documented at http://{address}/docs, with a page at http://{address}/"
            );
        }
        bound.serve().await?;
        Ok(())
    })
}
