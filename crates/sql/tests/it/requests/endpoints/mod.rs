//! The endpoint tests of restwright-resource on a database: SQLite, or PostgreSQL if `RESTWRIGHT_DATABASE` is `postgres`.

#![allow(dead_code, reason = "some of what the tables share is for tables that are not included")]

/// The store of most tests.
pub(crate) mod counting_store {
    pub(crate) const PAIRS: usize = 300;
    pub(crate) use crate::requests::store::CountingStore;
}

/// The store of the tests with a shelter.
mod failing_store {
    pub(crate) use crate::requests::store::FailingStore;
}

#[path = "../../../../../resource/tests/it/endpoints/actions.rs"]
mod actions;
#[path = "../../../../../resource/tests/it/endpoints/animal.rs"]
mod animal;
#[path = "../../../../../resource/tests/it/endpoints/batch.rs"]
mod batch;
#[path = "../../../../../resource/tests/it/endpoints/batch_changes.rs"]
mod batch_changes;
#[path = "../../../../../resource/tests/it/endpoints/callers.rs"]
mod callers;
#[path = "../../../../../resource/tests/it/endpoints/computed_fields.rs"]
mod computed_fields;
#[path = "../../../../../resource/tests/it/endpoints/declare.rs"]
mod declare;
#[path = "../../../../../resource/tests/it/endpoints/drawn_queries.rs"]
mod drawn_queries;
#[path = "../../../../../resource/tests/it/endpoints/drawn_requests.rs"]
mod drawn_requests;
#[path = "../../../../../resource/tests/it/endpoints/failures.rs"]
mod failures;
#[path = "../../../../../resource/tests/it/endpoints/hook_stores.rs"]
mod hook_stores;
#[path = "../../../../../resource/tests/it/endpoints/hooks.rs"]
mod hooks;
#[path = "../../../../../resource/tests/it/endpoints/kept_references.rs"]
mod kept_references;
#[path = "../../../../../resource/tests/it/endpoints/lists.rs"]
mod lists;
#[path = "../../../../../resource/tests/it/endpoints/lists_of_values.rs"]
mod lists_of_values;
#[path = "../../../../../resource/tests/it/endpoints/managed.rs"]
mod managed;
#[path = "../../../../../resource/tests/it/endpoints/memberships.rs"]
mod memberships;
#[path = "../../../../../resource/tests/it/endpoints/money.rs"]
mod money;
#[path = "../../../../../resource/tests/it/endpoints/noninterference.rs"]
mod noninterference;
#[path = "../../../../../resource/tests/it/endpoints/parents.rs"]
mod parents;
#[path = "../../../../../resource/tests/it/endpoints/policies.rs"]
mod policies;
#[path = "../../../../../resource/tests/it/endpoints/prepared.rs"]
mod prepared;
#[path = "../../../../../resource/tests/it/endpoints/put.rs"]
mod put;
#[path = "../../../../../resource/tests/it/endpoints/queries/mod.rs"]
mod queries;
#[path = "../../../../../resource/tests/it/endpoints/requests.rs"]
mod requests;
#[path = "../responses.rs"]
pub(crate) mod responses;
#[path = "../../../../../resource/tests/it/endpoints/runs.rs"]
mod runs;
#[path = "../../../../../resource/tests/it/endpoints/scopes.rs"]
mod scopes;
#[path = "../../../../../resource/tests/it/endpoints/search.rs"]
mod search;
#[path = "../../../../../resource/tests/it/endpoints/secret_rows.rs"]
mod secret_rows;
#[path = "../../../../../resource/tests/it/endpoints/sent.rs"]
mod sent;
#[path = "../../../../../resource/tests/it/endpoints/sequences.rs"]
mod sequences;
#[path = "../../../../../resource/tests/it/endpoints/shelter.rs"]
mod shelter;
#[path = "../../../../../resource/tests/it/endpoints/socket.rs"]
mod socket;
#[path = "../../../../../resource/tests/it/endpoints/soft_delete.rs"]
mod soft_delete;
#[path = "../../../../../resource/tests/it/endpoints/stored_files/mod.rs"]
mod stored_files;
#[path = "../../../../../resource/tests/it/endpoints/tenants.rs"]
mod tenants;
#[path = "../../../../../resource/tests/it/endpoints/totals.rs"]
mod totals;
#[path = "../../../../../resource/tests/it/endpoints/unique_together.rs"]
mod unique_together;

pub(crate) use self::animal::Animal;
pub(crate) use self::failing_store::FailingStore;
pub(crate) use self::shelter::{Shelter, api, id};
