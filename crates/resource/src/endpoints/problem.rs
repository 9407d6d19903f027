//! The problems that errors of a store become.

use restwright_core::Problem;
use restwright_core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_core::schema::{Code, Violation, pointer_to};

use crate::codes;
use crate::store::StoreError;

/// The reason why an operation failed.
pub(super) enum Failure {
    /// A statement failed.
    Store(StoreError),
    /// The request is the reason.
    Problem(Problem),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Returns the problem of an error, with the name of the entity as a sentence has it.
pub(super) fn problem(error: StoreError, name: &str) -> Problem {
    match error {
        StoreError::NotFound => Problem::not_found(format!("There is no {name} with this identifier.")),
        StoreError::Conflict { field } => Problem::new(catalogue::CONFLICT)
            .detail(format!("Another {name} has this `{field}` already; choose another."))
            .violations(at(&field, codes::CONFLICT, "is taken").iter().cloned()),
        StoreError::MissingReference { field } => {
            invalid(at(&field, codes::MISSING_REFERENCE, "refers to what does not exist"))
        }
        StoreError::Referenced { by } => Problem::new(catalogue::CONFLICT)
            .detail(format!("This {name} is referred to by `{by}`; delete or change these first."))
            .member("referenced_by", &*by),
        StoreError::InvalidValue { field, reason } => invalid(at(&field, Code::INVALID, &reason)),
        // Others were faster each time.
        error @ (StoreError::StaleVersion | StoreError::TransactionConflict) => Problem::unavailable(error),
        StoreError::Unavailable(source) => Problem::unavailable(source),
        error @ StoreError::Failed(_) => Problem::internal(error),
    }
}

fn at(field: &str, code: Code, message: &str) -> RequestViolations {
    let mut violations = RequestViolations::new(1);
    violations.push(ViolationLocation::Body, Violation::new(pointer_to(field), code, message));
    violations
}

fn invalid(violations: RequestViolations) -> Problem {
    violations.into_result().err().unwrap_or_else(|| Problem::new(catalogue::INVALID_REQUEST))
}
