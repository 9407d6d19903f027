//! The tables that stores create, compare and fill.

mod ddl;
mod start;
