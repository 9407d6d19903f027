//! Defines [`Refused`], which collects violations.

use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Violation, Violations, pointer_to};

use super::field::{FieldPlan, names};
use super::plan::{FilterSet, ParsedName};
use crate::codes;
use crate::hidden_fields::Hidden;
use crate::operator::Operator;

/// Collects the violations in the filters of a request. `any` is `true` if a filter has a violation.
pub(super) struct Refused<'v> {
    pub(super) violations: &'v mut RequestViolations,
    /// The fields that are hidden from the caller.
    pub(super) hidden: Hidden,
    pub(super) any: bool,
}

impl Refused<'_> {
    pub(super) fn push(&mut self, make: impl FnOnce(&Hidden) -> Violation) {
        self.any = true;
        self.violations.push_with(ViolationLocation::Query, || make(&self.hidden));
    }

    pub(super) fn extend(&mut self, prefix: &str, violations: Violations) {
        self.any = true;
        self.violations.extend(ViolationLocation::Query, prefix, violations);
    }
}

/// The violations of names.
impl FilterSet {
    #[cold]
    pub(super) fn refuse(&self, target: ParsedName, name: &str, hidden: &Hidden) -> Violation {
        let pointer = pointer_to(name);
        match target {
            ParsedName::UnknownOperator { field } => self.unknown_operator(field, pointer),
            ParsedName::Malformed => {
                let several =
                    if name.ends_with("[]") { "; for several values write `filter[field][in]=a,b`" } else { "" };
                let message = format!("must be `filter[field]` or `filter[field][operator]`{several}");
                Violation::new(pointer, codes::MALFORMED_FILTER, message)
            }
            ParsedName::UnknownField | ParsedName::Condition { .. } => {
                let allowed: Vec<_> = self.names().filter(|name| !hidden.contains(name)).collect();
                let message = format!("is not a known filter; known fields are {}", allowed.join(", "));
                Violation::new(pointer, codes::UNKNOWN_FILTER, message).param("allowed", allowed)
            }
        }
    }

    #[cold]
    pub(super) fn unknown_operator(&self, field: usize, pointer: String) -> Violation {
        let operators = self.fields.get(field).map(|field| field.operators.as_slice()).unwrap_or_default();
        let allowed = names(operators);
        let message = format!("does not support this operator; it supports {}", allowed.join(", "));
        Violation::new(pointer, codes::UNKNOWN_OPERATOR, message).param("allowed", allowed)
    }

    #[cold]
    pub(super) fn duplicate(&self, name: &str, field: usize, operator: Operator) -> Violation {
        let takes_several = |field: &FieldPlan| operator == Operator::Eq && field.takes(Operator::In);
        let several = match self.fields.get(field).filter(|field| takes_several(field)) {
            Some(field) if self.is_plain => {
                format!("; for several values write `{}=a,b`", field.plain_name(Operator::In))
            }
            Some(field) => format!("; for several values write `{}[in]=a,b`", field.name),
            None => String::new(),
        };
        let forms = if self.is_plain {
            "`filter[field][operator]` and `field__operator`"
        } else {
            "`filter[field]` and `field`"
        };
        let message = format!("must occur only once; {forms} are the same condition{several}");
        Violation::new(pointer_to(name), codes::DUPLICATE_CONDITION, message)
    }
}
