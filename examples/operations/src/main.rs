//! Serves the shop with the settings of the environment. `DATABASE_URL` must be set, and the names of the other variables begin with `SHOP_`.
//! `SHOP_MANAGER_KEY` is a key with all scopes, `SHOP_READER_KEY` a key that only reads. A key that is not set is generated and printed.

use restwright::auth::ApiKey;
use restwright::telemetry::Telemetry;
use restwright::{Host, ServeError, Settings};

#[expect(clippy::print_stdout, reason = "people who start the example read its keys")]
fn main() -> Result<(), ServeError> {
    let settings = Settings::from_environment("SHOP");
    let log_filter = Telemetry::from_settings(&settings)?.init()?;
    let scopes = ["orders:read", "orders:create", "orders:update", "orders:delete"];
    let mut keys = Vec::new();
    for (id, variable, scopes) in [("manager", "MANAGER_KEY", &scopes[..]), ("reader", "READER_KEY", &scopes[..1])] {
        let key = match settings.optional::<ApiKey>(variable)? {
            Some(key) => key,
            None => {
                let key = ApiKey::generate(id).map_err(std::io::Error::other)?;
                println!("{id} {}", key.text());
                key.into_key()
            }
        };
        keys.push(key.scopes(scopes.iter().copied()));
    }
    let api = operations::api(&settings, keys)?.component(log_filter).build()?;
    restwright::run(Host::new(api).bind_environment(&settings)?.serve())
}
