//! The schema of a problem, for documents and for checks of responses.

use restwright_schema::{
    PropertyCollection, Registry, SchemaObject, SchemaType, array, enumeration, int32, map, string,
};

/// Defines `Problem` and its `Violation` in a registry.
pub fn define(registry: &mut Registry) -> SchemaType {
    registry.define_collection(&problem())
}

/// The body of every failure (RFC 9457, section 3.1). An application may add members.
fn problem() -> PropertyCollection {
    let id = "Identifies the request in responses and traces.";
    PropertyCollection::new("Problem")
        .description("A failure of a request (RFC 9457).")
        .property(string("type").description("A URI of the kind of problem; `about:blank` if `code` alone names it."))
        .property(string("title").description("The kind of problem in a few words."))
        .property(int32("status").minimum(400).maximum(599).description("The status of the response."))
        .property(string("detail").optional().description("An explanation of this occurrence."))
        .property(string("code").description("The stable code of this kind of problem, for programs."))
        .property(string("request_id").description(id))
        .property(
            array("errors", violation())
                .optional()
                .description("Everything that is wrong with the request, each at its place."),
        )
}

fn violation() -> PropertyCollection {
    PropertyCollection::new("Violation")
        .description("One thing that is wrong with a request.")
        .property(
            enumeration("in", ["body", "path", "query", "header", "cookie"]).description("The part of the request."),
        )
        .property(string("pointer").description("The place in that part, as a JSON Pointer (RFC 6901)."))
        .property(string("code").description("The stable code of the rule that is broken."))
        .property(string("message").description("An explanation for people."))
        .property(map("params", SchemaObject::any()).description("The values of the rule, such as its bound."))
}
