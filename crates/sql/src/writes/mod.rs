//! Writes rows, and converts the errors of the database.

mod cascades;
mod deferred;
pub(crate) mod failure;
mod inserts;
mod kept_deleted;
mod locked;
mod references;
mod rows;
mod sequences;
mod stored;
mod writing;
