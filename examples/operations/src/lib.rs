//! A shop with the metrics that `dashboard.json` and `rules.yml` read.
//!
//! `DATABASE_URL=sqlite://shop.db cargo run -p operations`, then <http://127.0.0.1:8080/docs>. The metrics are at
//! <http://127.0.0.1:9464/metrics>.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::operation::{ContactObject, LicenseObject};
use restwright::prelude::*;
use restwright::production::{Cors, Metrics, Preset};
use restwright::rate_limit::{Quota, RateLimit};
use restwright::resource::Endpoints;
use restwright::sql::SqlStore;
use restwright::{ApiBuilder, Documentation, Settings};
use serde::{Deserialize, Serialize};

/// An order of a customer.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/orders")]
pub struct Order {
    /// The number of the order.
    #[property(id)]
    id: i64,
    /// The name of the article.
    #[property(min_length = 1, max_length = 100, example = "lamp", filter(eq), sort)]
    article: String,
    /// The number of pieces.
    #[property(minimum = 1, maximum = 1_000, example = 2)]
    quantity: i64,
}

/// Returns the shop, with the settings of the environment.
///
/// # Errors
/// Returns an invalid variable, or all errors in the declaration.
pub fn api(settings: &Settings, keys: impl IntoIterator<Item = ApiKey>) -> Result<ApiBuilder, BuildErrors> {
    let configuration = Configuration::new("shop", env!("CARGO_PKG_VERSION"))
        .description("A shop that shows what operators look at.")
        .contact(ContactObject::new("The office").email("shop@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new(keys)))
        .settings(settings)?;
    let production =
        Preset::production().cors(Cors::from_settings(settings)?).metrics(Metrics::from_settings(settings)?);
    let store = SqlStore::new(settings.database_url()?).migrate();
    let orders = Group::new("")
        .middleware(RateLimit::per_ip("clients", Quota::per_second(20).burst(40)))
        .module(Endpoints::<Order>::new(store, Access::crud("key", "orders")));
    Ok(Api::builder(configuration).module(&production).group(orders).module(&Documentation::public()))
}
