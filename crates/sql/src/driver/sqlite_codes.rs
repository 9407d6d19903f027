//! Result codes of SQLite (<https://www.sqlite.org/rescode.html>).

// Primary result codes.
pub(super) const SQLITE_BUSY: i32 = 5;
pub(super) const SQLITE_READONLY: i32 = 8;
pub(super) const SQLITE_CANTOPEN: i32 = 14;
pub(super) const SQLITE_NOTADB: i32 = 26;
pub(super) const SQLITE_INTERRUPT: i32 = 9;
pub(super) const SQLITE_FULL: i32 = 13;
pub(super) const SQLITE_CONSTRAINT: i32 = 19;

/// Returns `true` for the code of a violated primary key or unique constraint.
pub(super) fn is_unique_violation(code: i32) -> bool {
    matches!(code, 1555 | 2067 | 2579)
}
