//! Problems as responses.

use restwright_runtime::core::Route;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::operation::{HeaderObject, SchemaUse};
use restwright_runtime::core::problem::{ProblemKind, catalogue};
use restwright_runtime::core::schema::SchemaObject;
use serde_json::json;

use crate::support::part;

const FULL: ProblemKind = ProblemKind::new(StatusCode::CONFLICT, "shelter_full", "Shelter full");

fn route(path: &str) -> Route {
    Route::get(path).id(path).public()
}

#[test]
fn a_problem_is_a_component_that_names_its_code() {
    let known = FULL.description("Come back tomorrow.");
    let expected = json!({
        "description": "`shelter_full` (Shelter full): Come back tomorrow.",
        "headers": { "X-Request-Id": { "$ref": "#/components/headers/X-Request-Id" } },
        "content": { "application/problem+json": { "schema": { "allOf": [
            { "$ref": "#/components/schemas/Problem" },
            { "properties": { "status": { "const": 409 }, "code": { "enum": ["shelter_full"] } } },
        ] } } },
    });
    assert_eq!(part([route("/").problem(known)], "/components/responses/ShelterFull"), expected);
}

#[test]
fn problems_of_one_status_stand_together() {
    let other = ProblemKind::new(StatusCode::CONFLICT, "pet_known", "Pet known");
    let routes =
        || [route("/a").problem(FULL).problem(other.clone()), route("/b").problem(other.clone()).problem(FULL)];
    let reference = json!({ "$ref": "#/components/responses/PetKnownOrShelterFull" });
    assert_eq!(part(routes(), "/paths/~1a/get/responses/409"), reference);
    assert_eq!(part(routes(), "/paths/~1b/get/responses/409"), reference);
    let description = "Conflict:\n\n- `pet_known`: Pet known.\n- `shelter_full`: Shelter full.";
    assert_eq!(part(routes(), "/components/responses/PetKnownOrShelterFull/description"), description);
}

#[test]
fn one_code_with_two_meanings_makes_two_components() {
    let other = FULL.description("Elsewhere.");
    let routes = [route("/a").problem(FULL), route("/b").problem(other)];
    let responses = part(routes, "/components/responses");
    let of_code: Vec<_> = responses.as_object().unwrap().keys().filter(|name| name.starts_with("Shelter")).collect();
    assert_eq!(of_code, ["ShelterFull", "ShelterFull-2"]);
}

#[test]
fn a_response_with_more_headers_is_another_component() {
    let limited = |path| {
        route(path).describe(|operation| {
            operation.add_common_header(HeaderObject::new("RateLimit", SchemaUse::output(SchemaObject::string())));
        })
    };
    let responses = part([limited("/a"), route("/b")], "/components/responses");
    let of_code: Vec<_> = responses.as_object().unwrap().keys().filter(|name| name.starts_with("Internal")).collect();
    assert_eq!(of_code, ["InternalError", "InternalErrorWithRateLimit"]);
    // What all of them have makes no difference.
    let responses = part([limited("/a"), limited("/b")], "/components/responses");
    let of_code: Vec<_> = responses.as_object().unwrap().keys().filter(|name| name.starts_with("Internal")).collect();
    assert_eq!(of_code, ["InternalError"]);
}

#[test]
fn statuses_bring_their_headers() {
    let route = Route::get("/").authorize("bearer", ["read"]).problem(catalogue::NOT_FOUND);
    let headers = |name: &str| {
        let headers = part([route.clone()], &format!("/components/responses/{name}/headers"));
        headers.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(headers("Unauthenticated"), ["WWW-Authenticate", "X-Request-Id"]);
    assert_eq!(headers("Forbidden"), ["WWW-Authenticate", "X-Request-Id"]);
    assert_eq!(headers("NotFound"), ["X-Request-Id"]);
    assert_eq!(headers("DeadlineExceededOrOverloadedOrUnavailable"), ["Retry-After", "X-Request-Id"]);
}

#[test]
fn a_route_that_describes_a_failure_itself_is_believed() {
    let gone = route("/").describe(|operation| {
        operation.response(StatusCode::CONFLICT).description = Some("Own words.".to_owned());
    });
    assert_eq!(part([gone.problem(FULL)], "/paths/~1/get/responses/409/description"), "Own words.");
}
