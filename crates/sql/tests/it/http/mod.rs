//! The endpoints of resources over both databases: the tables that they pass in memory, and what databases alone have.
//!
//! The files of those tables are included twice, each time beside stores of the same names on a database.

mod cancelled;
mod database;
mod gate;
mod hot_rows;
mod openings;
mod outbox;
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
mod workers;
mod wrong_values;
