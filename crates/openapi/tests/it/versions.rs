//! The omissions of other versions and options.

use restwright_openapi::{Document, DocumentOptions, OpenApiVersion};
use restwright_runtime::Api;
use restwright_runtime::core::Route;
use restwright_runtime::core::auth::Access;
use restwright_runtime::core::http::StatusCode;
use restwright_runtime::core::operation::{LicenseObject, MediaTypeObject, SchemaUse};
use restwright_runtime::core::schema::SchemaObject;
use serde_json::{Value, json};

use crate::support::{api, configuration};

fn v3_0() -> DocumentOptions {
    DocumentOptions::new(OpenApiVersion::V3_0)
}

fn converted(route: Route, options: &DocumentOptions) -> Value {
    serde_json::to_value(Document::with_options(&api([route]), options)).unwrap()
}

/// Declares a body of a request or a response.
fn body(media_type: &str, schema: SchemaObject) -> MediaTypeObject {
    MediaTypeObject::new(media_type).schema(SchemaUse::input(schema))
}

#[test]
fn roles_of_schemes_without_scopes_are_left_out() {
    let access = Access::authenticated("bearer").all_scopes(["a"]).or("bearer");
    let document = converted(Route::get("/a").access(access), &v3_0());
    assert_eq!(document["paths"]["/a"]["get"]["security"], json!([{ "bearer": [] }]));
    let lost = "\n\n- scopes that an operation requires of a scheme other than OAuth 2.0 and OpenID Connect (2×)";
    assert!(document["info"]["description"].as_str().unwrap().ends_with(lost), "{}", document["info"]);
}

#[test]
fn an_spdx_expression_becomes_a_url() {
    let page = "https://spdx.org/licenses/MIT.html";
    for (expression, name, expected, is_lost) in [
        ("MIT", "MIT", json!({ "name": "MIT", "url": page }), false),
        ("MIT", "The usual one", json!({ "name": "The usual one", "url": page }), false),
        ("MIT OR 0BSD", "MIT OR 0BSD", json!({ "name": "MIT OR 0BSD" }), false),
        ("LicenseRef-Ours", "Ours", json!({ "name": "Ours" }), true),
    ] {
        let mut license = LicenseObject::spdx(expression);
        license.name = name.to_owned();
        let api = Api::builder(configuration().license(license)).build().unwrap();
        let info = Document::with_options(&api, &v3_0()).info;
        assert_eq!(serde_json::to_value(info.license).unwrap(), expected);
        let lost = format!(
            "Not included in this version of the document:\n\n- the SPDX expression of the licence, `{expression}` (1×)"
        );
        assert_eq!(info.description, is_lost.then_some(lost));
    }
}

#[test]
fn a_body_has_one_media_type() {
    let route = Route::post("/a").public().body(SchemaObject::string()).describe(|operation| {
        let content = &mut operation.request_body.as_mut().unwrap().content;
        content.insert(0, body("text/plain", SchemaObject::string()));
        content.push(body("text/csv", SchemaObject::string()));
        operation.response(StatusCode::OK).content.push(body("text/plain", SchemaObject::string()));
        operation.response(StatusCode::OK).content.push(body("text/csv", SchemaObject::string()));
    });
    let operation = converted(route, &v3_0().single_types())["paths"]["/a"]["post"].take();
    let names = |content: &Value| content.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&operation["requestBody"]["content"]), ["application/json"]);
    assert_eq!(names(&operation["responses"]["200"]["content"]), ["text/plain"]);
}

#[test]
fn an_operation_has_one_type_of_success_and_one_type_of_problem() {
    let route = Route::get("/a").public().empty_response(204).describe(|operation| {
        for (status, schema) in
            [(200, SchemaObject::string()), (201, SchemaObject::string()), (203, SchemaObject::boolean())]
        {
            let status = StatusCode::from_u16(status).unwrap();
            operation.response(status).content.push(body("application/json", schema));
        }
        operation.response(StatusCode::NOT_FOUND).content.push(body("text/plain", SchemaObject::string()));
    });
    let document = converted(route, &v3_0().single_types());
    let responses = document["paths"]["/a"]["get"]["responses"].as_object().unwrap();
    assert!(["200", "201"].iter().all(|status| responses.contains_key(*status)), "{responses:?}");
    assert!(["203", "204", "404"].iter().all(|status| !responses.contains_key(*status)), "{responses:?}");
    let shared = document["components"]["responses"].as_object().unwrap().values();
    let schemas: Vec<_> = shared.map(|one| &one["content"]["application/problem+json"]["schema"]).collect();
    assert!(
        schemas.len() > 1 && schemas.iter().all(|schema| **schema == json!({ "$ref": "#/components/schemas/Problem" }))
    );
    let names: Vec<_> = document["components"]["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Problem", "Violation"]);
}

#[test]
fn version_3_2_has_every_method() {
    let route = || Route::new("PURGE".parse().unwrap(), "/a").id("purge").public();
    let document = converted(route(), &DocumentOptions::new(OpenApiVersion::V3_2));
    assert_eq!(document["paths"]["/a"]["additionalOperations"]["PURGE"]["operationId"], "purge");
    assert_eq!(converted(route(), &DocumentOptions::default())["paths"], json!({}));
}

/// OpenAPI 3.2 has a member for `QUERY`.
#[test]
fn version_3_2_has_the_method_query() {
    let route = || Route::query("/a").id("searchPets").public();
    let document = converted(route(), &DocumentOptions::new(OpenApiVersion::V3_2));
    assert_eq!(document["paths"]["/a"]["query"]["operationId"], "searchPets");
    assert_eq!(converted(route(), &DocumentOptions::default())["paths"], json!({}));
}
