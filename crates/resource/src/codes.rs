//! The violation codes of resources, in addition to [`Code::ALL`](restwright_core::schema::Code::ALL).

use restwright_core::schema::Code;

/// `conflict`: The value must be unique, and another entity already has it.
pub const CONFLICT: Code = Code::from_static("conflict");

/// `missing_reference`: The value refers to an entity that does not exist.
pub const MISSING_REFERENCE: Code = Code::from_static("missing_reference");

/// `rejected`: The store rejects the value, for example by a check constraint or a trigger.
pub const REJECTED: Code = Code::from_static("rejected");

/// `read_only`: The value is read-only for clients, and differs from the stored value.
pub const READ_ONLY: Code = Code::from_static("read_only");
