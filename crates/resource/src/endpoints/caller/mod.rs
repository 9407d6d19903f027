//! The caller of an operation: the scope, the policy and the fields that the caller may read and write.

pub(super) mod call;
pub(super) mod call_plan;
pub(super) mod caller_scope;
pub(super) mod claim;
pub(super) mod coverage;
pub(super) mod field_rights;
pub(super) mod problem;
pub(super) mod related;
pub(super) mod revealing;
pub(super) mod row_rules;
#[cfg(any(feature = "cursor", feature = "idempotency"))]
pub(super) mod scope_text;
