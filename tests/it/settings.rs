//! The table of variables in the guide "Deployment".

use restwright::auth::Issuer;
use restwright::prelude::*;
use restwright::production::{Cors, Metrics};
use restwright::telemetry::Telemetry;
use restwright::{Host, Settings};

const GUIDE: &str = include_str!("../../crates/restwright/src/guide/deployment.md");

#[test]
fn the_guide_lists_every_variable_that_the_framework_reads() {
    let variables = [
        ("SHOP_LISTEN", "127.0.0.1:0"),
        ("SHOP_JWT_ISSUER", "https://login.example.com"),
        ("SHOP_JWT_AUDIENCE", "shop"),
        ("SHOP_ALLOWED_ORIGINS", "https://shop.example.com"),
        ("DATABASE_URL", "sqlite::memory:"),
    ];
    let settings = Settings::new("SHOP", variables);
    let configuration = Configuration::new("shop", "1.0.0").settings(&settings).unwrap();
    Issuer::from_settings(&settings).unwrap();
    let _ = (Cors::from_settings(&settings).unwrap(), Metrics::from_settings(&settings).unwrap());
    let _ = Telemetry::from_settings(&settings).unwrap();
    settings.database_url().unwrap();
    let api = Api::builder(configuration).build().unwrap();
    Host::new(api).bind_environment(&settings).unwrap();
    assert_eq!(settings.unread(), [""; 0]);

    let rows = GUIDE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | `")).filter(|(name, rest)| {
        let is_variable = name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
        // systemd sets `LISTEN_FDS` for the crate listenfd.
        is_variable && *name != "LISTEN_FDS" && rest.contains("::")
    });
    let mut listed: Vec<_> = rows.map(|(name, _)| name).collect();
    listed.sort_unstable();
    assert_eq!(listed, settings.names());
}
