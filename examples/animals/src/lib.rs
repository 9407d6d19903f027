//! An animal shelter, declared with restwright.
//!
//! `cargo run -p animals`, then <http://127.0.0.1:8080/docs>.
//!
//! Each module shows one feature. `health` is the smallest endpoint. [`authentication`] accepts tokens and API keys. [`animals`] is a resource from
//! one derive. `german` translates problems. [`pets`] contains handwritten endpoints, lists, errors and a repository. [`shelters`] is an endpoint
//! that is declared at run time, and [`shapes`] contains the types that `cargo run -p restwright-docs -- shapes` generates for it.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

pub mod animals;
pub mod authentication;
mod cursors;
mod german;
mod health;
pub mod pets;
mod provider;
pub mod shapes;
pub mod shelters;
mod store;

use std::time::Duration;

use restwright::Documentation;
use restwright::list::CursorKey;
use restwright::operation::{ContactObject, LicenseObject, TagObject};
use restwright::prelude::*;
use restwright::production::{Cors, Health, RequestLog, SecurityHeaders, Tracing};
use restwright::rate_limit::{Quota, RateLimit, RateLimitFields};

use authentication::Authentication;
pub use cursors::Cursors;
pub use provider::Provider;
pub use store::{AnimalStore, Database, store_at};

/// The default number of requests per minute and client address.
pub const REQUESTS: u32 = 600;

/// Returns the application that the committed `openapi.json` describes, if all features are on. It accepts tokens of an issuer.
///
/// # Errors
/// As [`api_for`].
#[cfg(feature = "jwks")]
pub fn api() -> Result<Api, BuildErrors> {
    let issuer = "https://login.example.com";
    let provider = Provider::new(&format!("{issuer}/keys"), issuer, "animals");
    let authentication = Authentication::default().provider(provider);
    api_for(&authentication, REQUESTS, store_at("sqlite::memory:"))
}

/// Returns the application for these callers. `requests` is the number of requests per minute and client address.
///
/// # Errors
/// Returns all errors in the declaration.
pub fn api_for(authentication: &Authentication, requests: u32, store: AnimalStore) -> Result<Api, BuildErrors> {
    api_for_pages("", authentication, requests, store, None)
}

/// Returns the application like [`api_for`], and allows CORS for `origins`, separated by commas. `cursors` is the key of cursors.
///
/// # Errors
/// As [`api_for`]. Also fails if an origin is invalid, or if the key of cursors is too short.
pub fn api_for_pages(
    origins: &str,
    authentication: &Authentication,
    requests: u32,
    store: AnimalStore,
    cursors: Option<CursorKey>,
) -> Result<Api, BuildErrors> {
    let mut configuration = Configuration::new("animals", env!("CARGO_PKG_VERSION"))
        .description("The animals, pets and shelters of a town.")
        .contact(ContactObject::new("The town").email("animals@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .terms_of_service("https://example.com/animals/terms")
        .language(german::german())
        // Both forms of the headers, for clients of either.
        .with(RateLimitFields::Both);
    if let Some(key) = cursors {
        configuration = configuration.with(key);
    }
    let origins = origins.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let cors = Cors::new().allow_origins(origins).max_age(Duration::from_secs(600));
    // `Preset::production()` registers all of these parts together.
    let api =
        Api::builder(authentication.register(configuration)).middleware(Tracing::new()).middleware(RequestLog::new());
    #[cfg(feature = "metrics")]
    let api = api.module(&restwright::production::Metrics::new().access(authentication.may("metrics:read")));
    let api = api.middleware(cors);
    #[cfg(feature = "compression")]
    let api = api.middleware(restwright::production::Compression::new());
    api.middleware(SecurityHeaders::new())
        .module(&Health::new())
        .middleware(RateLimit::per_ip("clients", Quota::per_minute(requests)))
        .resource::<animals::Animal>(store, authentication.crud("animals"))
        .module(&pets::Pets::seeded(1_000, authentication))
        .controller(shelters::CreateShelter::default())
        .group(
            Group::new("")
                .tag(TagObject::new("System").description("The state of the service."))
                .controller(health::health()),
        )
        .module(&Documentation::public())
        .build()
}
