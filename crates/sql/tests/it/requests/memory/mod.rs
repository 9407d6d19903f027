//! Random requests to stores in memory, whose responses the databases must repeat.

#![allow(dead_code, reason = "some of what the runs use is for other tests")]

#[path = "../../../../../resource/tests/it/endpoints/callers.rs"]
mod callers;
#[path = "../../../../../resource/tests/it/endpoints/counting_store.rs"]
pub(crate) mod counting_store;
#[path = "../../../../../resource/tests/it/endpoints/drawn_queries.rs"]
mod drawn_queries;
#[path = "../../../../../resource/tests/it/endpoints/drawn_requests.rs"]
mod drawn_requests;
#[path = "../responses.rs"]
pub(crate) mod responses;
#[path = "../../../../../resource/tests/it/endpoints/runs.rs"]
mod runs;
#[path = "../../../../../resource/tests/it/endpoints/secret_rows.rs"]
mod secret_rows;
#[path = "../../../../../resource/tests/it/endpoints/sent.rs"]
mod sent;
