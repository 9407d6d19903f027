//! Computes the digest of a row, which is the row's version in tables without a version column.

use sha2::{Digest, Sha256};

use crate::driver::Cell;

/// Returns the first 8 bytes of the SHA-256 digest of a row's cells, as an integer.
pub(crate) fn digest(cells: &[Cell<'_>]) -> i64 {
    let mut hash = Sha256::new();
    for cell in cells {
        let (kind, bytes): (u8, &[u8]) = match cell {
            Cell::Null => (0, &[]),
            Cell::Boolean(value) => (1, &[u8::from(*value)]),
            Cell::Integer(value) => (2, &value.to_be_bytes()),
            Cell::Number(value) => (3, &value.to_bits().to_be_bytes()),
            Cell::Text(value) => (4, value.as_bytes()),
            Cell::Date(value) => (5, &value.to_string().into_bytes()),
            Cell::DateTime(value) => (6, &value.as_nanosecond().to_be_bytes()),
            Cell::Uuid(value) => (7, value.as_bytes()),
            Cell::Json(value) => (8, value.as_bytes()),
            Cell::Decimal(value) => (9, &value.normalize().serialize()),
        };
        hash.update([kind]);
        hash.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(bytes);
    }
    let digest = hash.finalize();
    digest.iter().take(8).fold(0, |number, byte| (number << 8) | i64::from(*byte))
}
