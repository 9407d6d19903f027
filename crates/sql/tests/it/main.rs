//! Tests of the stores on real databases.

#![cfg(test)]
#![allow(clippy::duplicate_mod, reason = "the tables of the endpoints run on each database")]

mod conformance;
mod costs;
mod databases;
#[path = "../../../runtime/tests/it/log.rs"]
mod events;
mod http;
mod idempotency;
mod kept_deleted;
mod kept_identifiers;
mod kept_statements;
mod list_share;
mod log;
mod measured;
mod pgbouncer;
mod pglite;
mod schema;
mod slow;
mod start;
mod time_limits;
mod tls;
mod transactions;
mod unwritable;
