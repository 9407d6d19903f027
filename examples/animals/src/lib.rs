//! An animal shelter, declared with restwright.
//!
//! `cargo run -p animals`, then <http://127.0.0.1:8080/docs>.
//!
//! One module for each concern: `health` is the smallest endpoint, [`authentication`] says who may call, [`animals`] is a resource
//! by one derive, `german` has the texts of problems in a second language, [`pets`] are shapes, errors, lists and a repository written by hand, [`shelters`] is an endpoint declared at run
//! time, and [`shapes`] are the types that `cargo run -p restwright-docs -- shapes` writes for it.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

pub mod animals;
pub mod authentication;
mod german;
mod health;
pub mod pets;
mod provider;
pub mod shapes;
pub mod shelters;
mod store;

use std::time::Duration;

use restwright::Documentation;
use restwright::operation::{ContactObject, LicenseObject, TagObject};
use restwright::prelude::*;
use restwright::production::{Cors, Metrics, Preset};

use authentication::Authentication;
pub use provider::Provider;
pub use store::{AnimalStore, Database, store_at};

/// How often each client address may call in a minute, unless it is said otherwise.
pub const REQUESTS: u32 = 600;

/// The application as its document shows it, with a provider of tokens.
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

/// The application for these callers, with so many requests a minute for each client address; the server and the tests
/// read it.
///
/// # Errors
/// Mistakes in the declaration, all of them.
pub fn api_for(authentication: &Authentication, requests: u32, store: AnimalStore) -> Result<Api, BuildErrors> {
    api_for_pages("", authentication, requests, store)
}

/// The same for pages of other origins, which are written with commas between them.
///
/// # Errors
/// As [`api_for`], and for what is no origin.
pub fn api_for_pages(
    origins: &str,
    authentication: &Authentication,
    requests: u32,
    store: AnimalStore,
) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("animals", env!("CARGO_PKG_VERSION"))
        .description("The animals, pets and shelters of a town.")
        .contact(ContactObject::new("The town").email("animals@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .terms_of_service("https://example.com/animals/terms")
        .language(german::german());
    let origins = origins.split(',').map(str::trim).filter(|origin| !origin.is_empty());
    let cors = Cors::new().allow_origins(origins).max_age(Duration::from_secs(600));
    let production = Preset::production().cors(cors).metrics(Metrics::new().access(authentication.may("metrics:read")));
    Api::builder(authentication.register(configuration))
        .module(&production)
        .middleware(RateLimit::per_ip("clients", Quota::per_minute(requests)))
        .group(
            Group::new("")
                .tag(TagObject::new("System").description("The state of the service."))
                .controller(health::health()),
        )
        .resource::<animals::Animal>(store, authentication.crud("animals"))
        .module(&pets::Pets::seeded(1_000, authentication))
        .controller(shelters::CreateShelter::default())
        .module(&Documentation::public())
        .build()
}
