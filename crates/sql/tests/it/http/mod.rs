//! The endpoints of resources on both databases. The tests of the memory store run on them too, in addition to tests of databases only.
//!
//! The shared test files are included twice, each time with stores of the same names on another database.

mod alike;
mod cancelled;
mod database;
mod exports;
mod gate;
mod hot_rows;
mod memory;
mod openings;
pub(crate) mod outbox;
mod postgres;
pub(crate) mod proxy;
mod rejected;
mod replicas;
mod row_level_security;
mod run_time;
mod server;
mod shared_tables;
mod sqlite;
mod statements;
mod store;
mod test_client;
mod workers;
mod wrong_values;
