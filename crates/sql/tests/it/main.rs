//! The stores on real databases.

mod databases;
mod schema;
