//! Defines [`FilterViolations`], which collects the violations in the filters of a request.

use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Violation, Violations};

use crate::hidden_fields::Hidden;

/// Collects the violations in the filters of a request. `any` is `true` if a filter has a violation.
pub(super) struct FilterViolations<'v> {
    pub(super) violations: &'v mut RequestViolations,
    /// The fields that are hidden from the caller.
    pub(super) hidden: Hidden,
    pub(super) any: bool,
}

impl FilterViolations<'_> {
    pub(super) fn push(&mut self, make: impl FnOnce(&Hidden) -> Violation) {
        self.any = true;
        self.violations.push_with(ViolationLocation::Query, || make(&self.hidden));
    }

    pub(super) fn extend(&mut self, prefix: &str, violations: Violations) {
        self.any = true;
        self.violations.extend(ViolationLocation::Query, prefix, violations);
    }
}
