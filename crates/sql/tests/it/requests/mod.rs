//! The endpoints of resources on databases. The tests of the memory store run on them too, in addition to tests of databases only.

mod alike;
mod cancelled;
mod database;
mod endpoints;
mod exports;
mod gate;
mod get_or_insert;
mod hot_rows;
mod memory;
mod openings;
pub(crate) mod outbox;
mod prepared;
pub(crate) mod proxy;
mod readiness;
mod rejected;
mod related_orders;
mod replicas;
mod row_level_security;
mod run_time;
mod server;
mod shared_tables;
mod statements;
mod store;
mod test_client;
mod unreadable;
mod workers;
mod wrong_values;
