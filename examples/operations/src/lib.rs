//! A shop with the metrics that `dashboard.json` and `rules.yml` read.
//!
//! `cargo run -p operations`, then <http://127.0.0.1:8084/docs>. The metrics are at <http://127.0.0.1:9464/metrics>.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

use restwright::Documentation;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, KeyList};
use restwright::operation::{ContactObject, LicenseObject};
use restwright::prelude::*;
use restwright::production::{Metrics, Preset};
use restwright::resource::Endpoints;
use restwright::sql::SqlStore;
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

/// Returns the shop. `database` is a URL, and `metrics` sets where the metrics are served.
///
/// # Errors
/// Returns all errors in the declaration.
pub fn api(keys: impl IntoIterator<Item = ApiKey>, database: &str, metrics: Metrics) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("shop", env!("CARGO_PKG_VERSION"))
        .description("A shop that shows what operators look at.")
        .contact(ContactObject::new("The office").email("shop@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .authenticator("key", ApiKeyAuthenticator::new(KeyList::new(keys)));
    let orders = Group::new("")
        .middleware(RateLimit::per_ip("clients", Quota::per_second(20).burst(40)))
        .module(Endpoints::<Order, _>::new(SqlStore::new(database).migrate(), Access::crud("key", "orders")));
    Api::builder(configuration)
        .module(&Preset::production().metrics(metrics))
        .group(orders)
        .module(&Documentation::public())
        .build()
}
