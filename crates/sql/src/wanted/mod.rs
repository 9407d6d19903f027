//! The columns, keys and indexes that entity definitions need in the database.

mod indexes;
mod table_schema;

pub(crate) use indexes::{Index, IndexColumn};
pub(crate) use table_schema::{ColumnKind, ColumnSchema, ForeignKey, TableSchema, unfolded};
