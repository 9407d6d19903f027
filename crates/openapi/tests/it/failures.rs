//! Problems as responses of a document.

use restwright_runtime::Api;
use restwright_runtime::core::Route;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::operation::{HeaderObject, ParameterLocation, SchemaUse};
use restwright_runtime::core::problem::{ProblemKind, catalogue};
use restwright_runtime::core::schema::{PropertyCollection, SchemaObject, string};
use serde_json::{Value, json};

use crate::support::{Endpoint, configuration, document, part};

const FULL: ProblemKind = ProblemKind::new(StatusCode::CONFLICT, "shelter_full", "Shelter full");

fn route(path: &str) -> Route {
    Route::get(path).id(path).public()
}

#[test]
fn describes_a_problem_as_a_component_with_its_code() {
    let known = || [route("/").problem(FULL.description("Come back tomorrow."))];
    let expected = json!({
        "description": "`shelter_full` (Shelter full): Come back tomorrow.",
        "content": { "application/problem+json": {
            "schema": { "$ref": "#/components/schemas/ShelterFullProblem" },
            "examples": { "shelter_full": { "value": {
                "type": "about:blank",
                "title": "Shelter full",
                "status": 409,
                "code": "shelter_full",
                "request_id": "4bf92f3577b34da6",
            } } },
        } },
    });
    assert_eq!(part(known(), "/components/responses/ShelterFull"), expected);
    let schema = part(known(), "/components/schemas/ShelterFullProblem");
    assert_eq!(schema["properties"]["status"]["enum"], json!([409]));
    assert_eq!(schema["properties"]["code"]["enum"], json!(["shelter_full"]));
    assert_eq!(schema["required"], json!(["type", "title", "status", "code", "request_id"]));
    assert_eq!((&schema["type"], schema.get("allOf")), (&json!("object"), None));
}

#[test]
fn codes_of_the_application_name_their_component() {
    let other = ProblemKind::new(StatusCode::CONFLICT, "pet_known", "Pet known");
    let long = ProblemKind::new(StatusCode::CONFLICT, "pet_is_known_in_another_shelter", "Pet known elsewhere");
    for (problems, component) in [
        (vec![FULL], "ShelterFull"),
        (vec![FULL, catalogue::CONFLICT], "ShelterFull"),
        (vec![FULL, other.clone()], "PetKnownOrShelterFull"),
        (vec![other.clone(), FULL], "PetKnownOrShelterFull"),
        (vec![FULL, long], "Conflict"),
        (vec![catalogue::CONFLICT], "Conflict"),
        (vec![catalogue::CONFLICT, catalogue::IDEMPOTENCY_IN_PROGRESS], "Conflict"),
    ] {
        let mut codes: Vec<_> = problems.iter().map(|kind| kind.code.to_string()).collect();
        codes.sort();
        let route = || [problems.iter().fold(route("/"), |route, kind| route.problem(kind.clone()))];
        let reference = json!({ "$ref": format!("#/components/responses/{component}") });
        assert_eq!(part(route(), "/paths/~1/get/responses/409"), reference);
        let schema = part(route(), &format!("/components/schemas/{component}Problem"));
        assert_eq!(schema["properties"]["code"]["enum"], json!(codes), "{component}");
    }
}

#[test]
fn an_operation_with_fewer_codes_than_its_component_lists_them() {
    let routes = || {
        [
            route("/a").problem(catalogue::CONFLICT),
            route("/b").problem(catalogue::CONFLICT).problem(catalogue::IDEMPOTENCY_IN_PROGRESS),
        ]
    };
    let fewer = json!({ "$ref": "#/components/responses/Conflict", "description": "`conflict`." });
    assert_eq!(part(routes(), "/paths/~1a/get/responses/409"), fewer);
    let all = json!({ "$ref": "#/components/responses/Conflict" });
    assert_eq!(part(routes(), "/paths/~1b/get/responses/409"), all);
    let codes = part(routes(), "/components/schemas/ConflictProblem/properties/code/enum");
    assert_eq!(codes, json!(["conflict", "idempotency_in_progress"]));
    // Only one of the two problems includes it.
    let header = part(routes(), "/components/responses/Conflict/headers/Retry-After");
    assert_eq!(header, json!({ "$ref": "#/components/headers/Retry-After" }));
    assert_eq!(part(routes(), "/components/headers/Retry-After").get("required"), None);
}

#[test]
fn describes_one_code_with_two_meanings_as_one_component() {
    let routes = || [route("/a").problem(FULL), route("/b").problem(FULL.description("Elsewhere."))];
    let description = "- `shelter_full`: Shelter full.\n- `shelter_full` (Shelter full): Elsewhere.";
    assert_eq!(part(routes(), "/components/responses/ShelterFull/description"), description);
    let codes = part(routes(), "/components/schemas/ShelterFullProblem/properties/code/enum");
    assert_eq!(codes, json!(["shelter_full"]));
}

#[test]
fn the_example_of_an_invalid_request_has_a_violation() {
    let route = route("/").parameter(ParameterLocation::Query, string("name"));
    let examples = part([route], "/components/responses/InvalidRequest/content/application~1problem+json/examples");
    let violation =
        json!({ "in": "body", "pointer": "/name", "code": "required", "message": "is required", "params": {} });
    assert_eq!(examples["invalid_request"]["value"]["errors"], json!([violation]));
}

#[test]
fn a_schema_with_the_name_of_a_problem_is_rejected() {
    let taken = PropertyCollection::new("ShelterFullProblem").property(string("name"));
    let route = route("/").response(200, taken).problem(FULL);
    let errors = Api::builder(configuration()).controller(Endpoint(route)).build().unwrap_err();
    let expected = "the name of the schema `ShelterFullProblem` is reserved for the schema of a problem; rename it";
    assert!(errors.to_string().contains(expected), "{errors}");
}

fn limited(path: &str) -> Route {
    route(path).describe(|operation| {
        operation.add_common_header(HeaderObject::new("RateLimit", SchemaUse::output(SchemaObject::string())));
    })
}

#[test]
fn headers_of_all_operations_are_described_once() {
    let names = |document: &Value| -> Vec<String> {
        document["x-response-headers"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names(&document([route("/a"), route("/b")])), ["X-Request-Id"]);
    let document = document([limited("/a"), limited("/b")]);
    assert_eq!(names(&document), ["RateLimit", "X-Request-Id"]);
    assert_eq!(
        document["x-response-headers"]["RateLimit"],
        json!({ "required": true, "schema": { "type": "string" } })
    );
    let operation = &document["paths"]["/a"]["get"];
    assert_eq!((operation.get("x-response-headers"), operation["responses"]["204"].get("headers")), (None, None));
}

#[test]
fn an_operation_lists_its_own_headers() {
    let document = document([limited("/a"), route("/b")]);
    let at = |pointer: &str| document.pointer(pointer).cloned();
    assert_eq!(at("/paths/~1a/get/x-response-headers"), Some(json!(["RateLimit"])));
    let own = json!({ "RateLimit": { "$ref": "#/components/headers/RateLimit" } });
    assert_eq!(at("/paths/~1a/get/responses/204/headers"), Some(own));
    assert_eq!(at("/components/headers/RateLimit/required"), Some(json!(true)));
    for other in ["/paths/~1b/get/responses/204/headers", "/paths/~1b/get/x-response-headers"] {
        assert_eq!(at(other), None, "{other}");
    }
    // Operations share the header.
    assert_eq!(at("/components/responses/InternalError/headers"), None);
}

#[test]
fn adds_the_headers_of_each_status() {
    let route = Route::get("/").authorize("bearer", ["read"]).problem(catalogue::NOT_FOUND);
    let headers = |name: &str| {
        let response = part([route.clone()], &format!("/components/responses/{name}"));
        let headers = response["headers"].as_object();
        headers.map(|headers| headers.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(headers("Unauthenticated"), ["WWW-Authenticate"]);
    assert_eq!(headers("Forbidden"), ["WWW-Authenticate"]);
    assert!(headers("NotFound").is_empty());
    assert_eq!(headers("ServiceUnavailable"), ["Retry-After"]);
}

#[test]
fn keeps_a_failure_that_a_route_describes_itself() {
    let gone = route("/").describe(|operation| {
        operation.response(StatusCode::CONFLICT).description = Some("Own words.".to_owned());
    });
    assert_eq!(part([gone.problem(FULL)], "/paths/~1/get/responses/409/description"), "Own words.");
}
