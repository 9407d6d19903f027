//! Tests of the stores on real databases.

#![cfg(test)]
#![allow(clippy::duplicate_mod, reason = "the tables of the endpoints run on each database")]

restwright_tests::facade!(actix, cursor, files, list, openapi, resource, testing);

mod backups;
mod cluster;
mod concurrent_model;
mod conformance;
mod costs;
mod databases;
mod failover;
mod group_failures;
mod groups;
mod idempotency;
mod kept_deleted;
mod kept_identifiers;
mod kept_statements;
mod list_share;
mod log;
mod measured;
mod pgbouncer;
mod pglite;
mod pgpool;
mod requests;
mod slow;
mod start;
mod tables;
mod time_limits;
mod tls;
mod transactions;
mod unwritable;
