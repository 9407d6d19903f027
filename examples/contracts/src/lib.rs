//! A multi-tenant application with customers, addresses, contracts and invoices.
//!
//! `cargo run -p contracts`, then <http://127.0.0.1:8081/docs>.
//!
//! [`customers`] is a resource with a nested resource. [`contracts`] has references, hooks and a replaced operation. [`invoices`] has batches and
//! idempotency keys. [`report`] is a handwritten endpoint on the same store.

#![allow(missing_docs, missing_debug_implementations, reason = "an application, not a library")]

pub mod contracts;
pub mod customers;
pub mod invoices;
pub mod report;

use restwright::Documentation;
use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, CrudAccess, KeyList};
use restwright::list::CursorKey;
use restwright::operation::{ContactObject, LicenseObject};
use restwright::prelude::*;
use restwright::resource::Endpoints;
use restwright::resource::idempotency::Idempotency;
use restwright::schema::Mode;
use restwright::sql::{SqlIdempotency, SqlStore};

use self::contracts::{Contract, Event, Events};
use self::customers::{Address, Customer};
use self::invoices::Invoice;

const SCHEME: &str = "key";
const RESOURCES: [&str; 5] = ["customers", "addresses", "contracts", "invoices", "events"];

/// Assigns an API key to a tenant, with all scopes. The key gives access only to the tenant's data.
#[must_use]
pub fn key_of(key: ApiKey, tenant: &str) -> ApiKey {
    let actions = ["read", "create", "update", "delete"];
    let scopes = RESOURCES.iter().flat_map(|resource| actions.map(|action| format!("{resource}:{action}")));
    key.scopes(scopes).claim("tenant", tenant)
}

/// Returns the access to a resource, with one scope for each operation.
fn access(resource: &str) -> CrudAccess {
    Access::crud(SCHEME, resource)
}

/// Returns the application for these keys. `database` is a URL.
///
/// # Errors
/// Returns all errors in the declaration.
pub fn api(keys: impl IntoIterator<Item = ApiKey>, database: &str) -> Result<Api, BuildErrors> {
    let configuration = Configuration::new("contracts", env!("CARGO_PKG_VERSION"))
        .description("Customers and contracts. A tenant cannot see the data of another tenant.")
        .contact(ContactObject::new("The office").email("contracts@example.com"))
        .license(LicenseObject::spdx("CC0-1.0"))
        .authenticator(SCHEME, ApiKeyAuthenticator::new(KeyList::new(keys)))
        // Only this process creates and reads the cursors.
        .with(CursorKey::new([7; 32]));
    // All resources share one store, so references and transactions can span them.
    let store = SqlStore::new(database).migrate();
    let contracts = Endpoints::<Contract>::new(store.clone(), access("contracts"));
    let invoices = Endpoints::<Invoice>::new(store.clone(), access("invoices"));
    Api::builder(configuration)
        .resource::<Customer>(store.clone(), access("customers"))
        .resource::<Address>(store.clone(), access("addresses"))
        .resource::<Event>(store.clone(), access("events"))
        .module(&contracts.hooks(Events).without(Mode::Delete))
        .controller(contracts::cancel_contract(store.clone()))
        .module(&invoices.idempotency(Idempotency::new(SqlIdempotency::new(&store))))
        .controller(report::view_report(store))
        .module(&Documentation::public())
        .build()
}
