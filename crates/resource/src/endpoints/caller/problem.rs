//! Converts the errors of a store to problem responses.

use std::borrow::Cow;
use std::error::Error;

use restwright_core::Problem;
use restwright_core::problem::{RequestViolations, ViolationLocation, catalogue};
use restwright_core::schema::{Code, Violation, pointer_to};

use super::field_rights::FieldRights;
use crate::codes;
use crate::definition::EntityDefinition;
use crate::endpoints::declare::names::Names;
use crate::store::StoreError;

/// The error of an operation that failed in the store, in a hook or because of the request.
pub(in crate::endpoints) enum Failure {
    /// A statement failed in the store. The string is the JSON Pointer of the entity or its changes in the request body.
    Store(StoreError, String),
    /// The request or a hook caused the failure.
    Problem(Problem),
}

impl Failure {
    /// Returns the underlying error, which determines whether the operation is retried.
    pub(in crate::endpoints) fn cause(&self) -> &(dyn Error + 'static) {
        match self {
            Self::Store(error, _) => error,
            Self::Problem(problem) => problem,
        }
    }

    /// Prepends `pointer` to the JSON Pointers of the failure. They refer to the request body.
    pub(in crate::endpoints) fn at(self, pointer: String) -> Self {
        match self {
            Self::Store(error, place) => Self::Store(error, pointer + &place),
            Self::Problem(problem) => Self::Problem(problem.below(&pointer)),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error, String::new())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Returns the 403 problem for a caller who has no value for a scope field.
pub(in crate::endpoints) fn no_scope_value(field: &str) -> Problem {
    Problem::new(catalogue::FORBIDDEN)
        .detail(format!("The credentials contain no value for `{field}`, which restricts this operation."))
        .detail_key("forbidden.no_scope_value")
        .detail_param("field", field.to_owned())
}

/// Converts the error of a statement to a problem. `place` is the JSON Pointer of the entity in the body. The problem does not name fields
/// that the caller may not read.
pub(in crate::endpoints) fn problem(
    error: StoreError,
    names: &Names,
    definition: &EntityDefinition,
    (place, rights): (&str, &FieldRights),
) -> Problem {
    let name = &names.singular;
    let violation = |field: &str, code: Code, message: &str| {
        let mut violation = rights.concealed(Violation::new(pointer_to(field), code, message), None);
        violation.pointer.insert_str(0, place);
        violation
    };
    let at = |field: &str, code: Code, message: &str| {
        let mut violations = RequestViolations::new(1);
        violations.push(ViolationLocation::Body, violation(field, code, message));
        violations
    };
    match error {
        StoreError::NotFound => {
            Problem::not_found(format!("There is no {name} with this identifier.")).detail_key("not_found.entity")
        }
        StoreError::Conflict { fields } if fields.is_empty() || !fields.iter().all(|field| rights.may_read(field)) => {
            Problem::new(catalogue::CONFLICT)
                .detail(format!("Another {name} conflicts with these values; change them."))
                .detail_key("conflict.hidden")
        }
        StoreError::Conflict { fields } => {
            let mut violations = RequestViolations::new(fields.len());
            for field in &fields {
                violations.push(ViolationLocation::Body, violation(field, codes::CONFLICT, "is taken"));
            }
            conflict(&fields, name).violations(violations.iter().cloned())
        }
        StoreError::MissingReference { field } => {
            match definition.get(&field).and_then(|field| field.parent_definition()) {
                Some(parent) => no_parent(parent),
                None => invalid(at(&field, codes::MISSING_REFERENCE, "refers to an entity that does not exist")),
            }
        }
        StoreError::Referenced { by } => {
            let problem = Problem::new(catalogue::CONFLICT)
                .detail(format!("Entities of `{by}` refer to this {name}; delete or change them first."))
                .detail_key("conflict.referenced")
                .member("referenced_by", &*by);
            // Only a batch has a body that contains the identifier.
            let mut violations = RequestViolations::new(1);
            if !place.is_empty() {
                let identifier = definition.identifier();
                violations.push(ViolationLocation::Body, violation(identifier, codes::CONFLICT, "is referenced"));
            }
            problem.violations(violations.iter().cloned())
        }
        StoreError::InvalidValue { field, reason } => invalid(at(&field, Code::INVALID, &reason)),
        StoreError::Rejected { violation, source } => {
            let mut violations = RequestViolations::new(1);
            let mut violation = rights.concealed(*violation, None);
            violation.pointer.insert_str(0, place);
            violations.push(ViolationLocation::Body, violation);
            invalid(violations).source(source)
        }
        // Every attempt conflicted with a concurrent change.
        error @ (StoreError::StaleVersion | StoreError::TransactionConflict) => Problem::unavailable(error),
        StoreError::Unavailable(source) => Problem::unavailable(source),
        error @ StoreError::Failed(_) => Problem::internal(error),
    }
}

/// Returns the 409 problem for unique values that another entity already has. The problem contains no violations.
fn conflict(fields: &[Cow<'static, str>], name: &str) -> Problem {
    let problem = Problem::new(catalogue::CONFLICT);
    match fields {
        [field] => problem
            .detail(format!("Another {name} already has this `{field}`; choose another."))
            .detail_key("conflict.unique")
            .detail_param("field", &**field),
        fields => {
            let fields = format!("`{}`", fields.join("`, `"));
            problem
                .detail(format!("Another {name} already has these values of {fields}; change one of them."))
                .detail_key("conflict.unique_together")
                .detail_param("fields", &*fields)
        }
    }
}

/// Converts the store error of a delete to a [`Failure`]. If a rule of the store rejects the delete, the response is a 409, because a
/// delete has no body to correct.
pub(in crate::endpoints) fn of_delete(error: StoreError, names: &Names) -> Failure {
    match error {
        StoreError::Rejected { source, .. } => Failure::Problem(
            Problem::new(catalogue::CONFLICT)
                .detail(format!("A rule of the store forbids deleting this {}.", names.singular))
                .detail_key("conflict.rule")
                .source(source),
        ),
        error => error.into(),
    }
}

/// Returns the 404 problem for a parent that does not exist in the scope.
pub(in crate::endpoints) fn no_parent(parent: &EntityDefinition) -> Problem {
    Problem::not_found(format!("`{}` contains no entity with this identifier.", parent.name()))
        .detail_key("not_found.parent")
        .detail_param("parent", parent.name())
}

fn invalid(violations: RequestViolations) -> Problem {
    violations.into_result().err().unwrap_or_else(|| Problem::new(catalogue::INVALID_REQUEST))
}

/// Returns the problem for a hook or an action that takes too long.
pub(in crate::endpoints) fn too_slow(hook: &str) -> Problem {
    Problem::new(catalogue::DEADLINE_EXCEEDED)
        .detail("The operation took too long, and nothing was changed.")
        .detail_key("deadline_exceeded.hook")
        .source(format!("`{hook}` took longer than its time limit"))
        .retry_after(1)
}
