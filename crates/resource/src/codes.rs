//! Defines the violation codes of resources. [`Code::ALL`](restwright_core::schema::Code::ALL) lists the general violation codes.

use restwright_core::schema::Code;

/// The violation code for a unique value that another entity already has.
pub const CONFLICT: Code = Code::from_static("conflict");

/// The violation code for a reference to an entity that does not exist.
pub const MISSING_REFERENCE: Code = Code::from_static("missing_reference");

/// The violation code for a value that the store rejects, for example because of a check constraint or a trigger.
pub const REJECTED: Code = Code::from_static("rejected");

/// The violation code for a read-only value that differs from the stored value.
pub const READ_ONLY: Code = Code::from_static("read_only");
