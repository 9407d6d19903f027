//! Defines [`StorePart`], the parts of a store that report their readiness separately.

/// A part of a store that reports its readiness separately. `/readyz?verbose` lists each part.
///
/// The component of the store, such as `PostgreSQL`, reports its reads. The other parts are the components `PostgreSQL writes` and `PostgreSQL
/// replica`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorePart {
    /// All reads from the database.
    Reads,
    /// All writes to the database. Writes fail on a PostgreSQL standby or read-only server. If writes are required, the start fails on a read-only
    /// SQLite file.
    Writes,
    /// All reads from the replica. This part exists only if [`SqlStore::read_from`](crate::SqlStore::read_from) sets a replica.
    Replica,
}
