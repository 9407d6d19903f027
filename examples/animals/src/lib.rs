//! An animal shelter, declared with restwright.
//!
//! `cargo run -p animals`, then <http://127.0.0.1:8080/docs>.
//!
//! Each module answers one question: [`health`] is the smallest endpoint, [`pets`] are shapes, errors, lists and a
//! repository written by hand, [`shelters`] is an endpoint declared at run time.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

pub mod health;
pub mod pets;
pub mod shelters;

use restwright::Documentation;
use restwright::prelude::*;

/// The application with 600 requests a minute for each client address; the document and the tests read it.
///
/// # Errors
/// Mistakes in the declaration, all of them.
pub fn api() -> Result<Api, StartErrors> {
    api_with_limit(600)
}

/// The application with so many requests a minute for each client address.
///
/// # Errors
/// Mistakes in the declaration, all of them.
pub fn api_with_limit(requests: u32) -> Result<Api, StartErrors> {
    let configuration =
        Configuration::new("animals", env!("CARGO_PKG_VERSION")).description("The pets and shelters of a town.");
    Api::builder(configuration)
        .middleware(RateLimit::per_ip("clients", Quota::per_minute(requests)))
        .controller(health::Health)
        .module(&pets::Pets::seeded(1_000))
        .controller(shelters::CreateShelter::default())
        .module(&Documentation::public())
        .build()
}
