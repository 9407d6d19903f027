//! The tables that stores create, compare and fill.

mod conversions;
pub(crate) mod database;
mod ddl;
mod decimals;
mod deployments;
mod differences;
mod domains;
mod existing_tables;
mod folds;
mod lists;
mod migrations;
mod mutations;
mod renames;
mod short_times;
