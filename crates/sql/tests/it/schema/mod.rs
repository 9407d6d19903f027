//! The tables that stores create, compare and fill.

mod database;
mod ddl;
mod differences;
mod existing_tables;
mod folds;
mod migrations;
mod mutations;
mod renames;
