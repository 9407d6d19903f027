//! Defines the schemas of problems, for OpenAPI documents and response checks in tests.

use std::borrow::Cow;

use restwright_schema::{
    Property, PropertyCollection, Registry, SchemaObject, SchemaType, array, enumeration, int32, map, string,
};

use super::{ProblemKind, catalogue};

/// Adds the schemas `Problem` and `Violation` to a schema registry.
pub fn define(registry: &mut Registry) -> SchemaType {
    registry.define_collection(&problem("Problem", int32("status").minimum(400).maximum(599), string("code"), true))
}

/// Adds a schema for problems of these kinds to a schema registry. The name of the schema is `name`.
pub fn define_kinds(registry: &mut Registry, name: String, kinds: &[ProblemKind]) -> SchemaType {
    let mut statuses: Vec<_> = kinds.iter().map(|kind| i64::from(kind.status.as_u16())).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let mut codes: Vec<_> = kinds.iter().map(|kind| kind.code.to_string()).collect();
    codes.sort_unstable();
    codes.dedup();
    // Only these statuses of the framework's problems can have violations.
    let may_have_violations = |kind: &ProblemKind| {
        matches!(kind.status.as_u16(), 400 | 409 | 422) || catalogue::ALL.iter().all(|known| known.code != kind.code)
    };
    let has_violations = kinds.iter().any(may_have_violations);
    registry.define_collection(&problem(
        name,
        enumeration("status", statuses),
        enumeration("code", codes),
        has_violations,
    ))
}

/// Returns the schema of a problem (RFC 9457, section 3.1). An application may add members.
fn problem(
    name: impl Into<Cow<'static, str>>,
    status: Property,
    code: Property,
    has_violations: bool,
) -> PropertyCollection {
    let problem = PropertyCollection::new(name)
        .property(string("type").description("The kind of problem, as a URI."))
        .property(string("title").description("The kind of problem, as text for people."))
        .property(status.description("The status."))
        .property(string("detail").optional().description("An explanation of this occurrence."))
        .property(code.description("The kind of problem, as a code for programs."))
        .property(string("request_id").description("The id of the request."));
    if !has_violations {
        return problem;
    }
    problem.property(array("errors", violation()).optional().description("The violations in the request."))
}

fn violation() -> PropertyCollection {
    PropertyCollection::new("Violation")
        .description("One violation in a request.")
        .property(
            enumeration("in", ["body", "path", "query", "header", "cookie"])
                .description("The part of the request that is invalid."),
        )
        .property(string("pointer").description("The location in that part, as a JSON Pointer (RFC 6901)."))
        .property(string("code").description("The stable code of the violated rule."))
        .property(string("message").description("An explanation of the violation."))
        .property(map("params", SchemaObject::any()).description("The parameters of the rule, such as its bound."))
}
