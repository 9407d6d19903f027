//! The parts of a document around and inside operations.

use restwright_openapi::Document;
use restwright_runtime::core::http::Method;
use restwright_runtime::core::operation::{ApiKeyLocation, OAuthFlow, ParameterLocation, SecurityScheme};
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::schema::PropertyCollection;
use restwright_runtime::core::schema::{SchemaObject, int64, string};
use restwright_runtime::core::{Configuration, Route};
use restwright_runtime::{Api, Group};
use serde_json::{Value, json};

use crate::support::{Endpoint, Scheme, document, part};

#[test]
fn a_whole_small_document() {
    let note = PropertyCollection::new("Note").property(string("text").max_length(80).description("What to remember."));
    let route = Route::post("/notes/{id}")
        .id("writeNote")
        .summary("Writes a note")
        .tag("Notes")
        .authorize("bearer", ["notes"])
        .parameter(ParameterLocation::Path, int64("id"))
        .body(SchemaObject::object(note.clone()).description("The note."))
        .response(200, note);
    let mut found = document([route]);
    let shared = found["components"].take();
    let failures = found["paths"]["/notes/{id}"]["post"]["responses"].as_object_mut().unwrap();
    let failures: Vec<_> = failures.keys().filter(|status| *status != "200").cloned().collect();
    let responses = found["paths"]["/notes/{id}"]["post"]["responses"].as_object_mut().unwrap();
    responses.retain(|status, _| status == "200");
    assert_eq!(failures, ["400", "401", "403", "406", "408", "413", "415", "422", "500", "503"]);
    let expected = json!({
        "openapi": "3.1.0",
        "info": { "title": "shelter", "version": "1.2.3" },
        "servers": [{ "url": "/" }],
        "tags": [{ "name": "Notes" }],
        "paths": { "/notes/{id}": { "post": {
            "operationId": "writeNote",
            "summary": "Writes a note",
            "tags": ["Notes"],
            "security": [{ "bearer": ["notes"] }],
            "parameters": [{ "name": "id", "in": "path", "required": true, "schema": {
                "type": "integer", "format": "int64",
            } }],
            "requestBody": { "description": "The note.", "required": true, "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Note" },
            } } },
            "responses": { "200": {
                "description": "OK",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Note" } } },
            } },
        } } },
        "x-response-headers": {
            "Cache-Control": {
                "description": "The caches that may store the response, and for how long.",
                "required": true,
                "schema": { "type": "string" },
            },
            "Vary": {
                "description": "The request headers that the response depends on.",
                "schema": { "type": "string" },
            },
            "X-Request-Id": {
                "description": "Identifies this request in responses, problems and traces.",
                "required": true,
                "schema": { "type": "string", "minLength": 1, "maxLength": 128 },
            },
        },
        "components": null,
    });
    assert_eq!(found, expected);
    assert_eq!(
        shared["securitySchemes"],
        json!({ "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } })
    );
    assert_eq!(
        shared["schemas"]["Note"],
        json!({
            "type": "object",
            "properties": { "text": { "type": "string", "maxLength": 80, "description": "What to remember." } },
            "required": ["text"],
        })
    );
}

#[test]
fn lists_tags_of_health_checks_and_metrics_last() {
    let tagged = |path: &str, tag: &str| Route::get(path).id(path).tag(tag).public();
    let document = document([
        tagged("/livez", "Health").with(Unwatched),
        tagged("/metrics", "Metrics").with(Unwatched),
        tagged("/pets", "Pets"),
        tagged("/report", "Metrics of pets").tag("Shared"),
        tagged("/readyz", "Shared").with(Unwatched),
    ]);
    let names: Vec<_> = document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Pets", "Metrics of pets", "Shared", "Health", "Metrics"]);
}

#[test]
fn lists_methods_by_path_without_head_and_options() {
    let route = |method: Method| Route::new(method.clone(), "/a").id(method.as_str()).public();
    let paths = part([route(Method::PUT), route(Method::GET)], "/paths");
    let methods: Vec<_> = paths["/a"].as_object().unwrap().keys().collect();
    assert_eq!(methods, ["get", "put"]);
}

#[test]
fn omits_methods_that_openapi_does_not_define() {
    let purge = Route::new(Method::from_bytes(b"PURGE").unwrap(), "/cache").public();
    assert_eq!(part([purge], "/paths"), json!({}));
}

#[test]
fn routes_inherit_prefix_tags_and_access() {
    let group = Group::new("/admin")
        .tag("Administration")
        .authorize("bearer", ["admin"])
        .group(Group::new("/pets").tag("Pets").controller(Endpoint(Route::get("").id("adminPets"))));
    let api = Api::builder(crate::support::configuration()).group(group).build().unwrap();
    let document: Value = serde_json::from_str(&Document::from_api(&api).to_json()).unwrap();
    let operation = &document["paths"]["/admin/pets"]["get"];
    assert_eq!(operation["tags"], json!(["Administration", "Pets"]));
    assert_eq!(operation["security"], json!([{ "bearer": ["admin"] }]));
    assert_eq!(document["tags"], json!([{ "name": "Administration" }, { "name": "Pets" }]));
}

#[test]
fn sorts_paths_regardless_of_declaration_order() {
    let route = |path: &str| Route::get(path).id(path).public();
    assert_eq!(document([route("/a"), route("/b"), route("/c")]), document([route("/c"), route("/a"), route("/b")]));
}

#[test]
fn a_flow_lists_the_scopes_that_routes_require() {
    let oauth = SecurityScheme::oauth2([OAuthFlow::client_credentials("/token").scope("pets:read", "See pets.")]);
    let route = |path: &str, scope: &str| Endpoint(Route::get(path).id(path.to_owned()).authorize("oauth", [scope]));
    let api = Api::builder(Configuration::new("a", "1").authenticator("oauth", Scheme(oauth)))
        .controller(route("/a", "pets:write"))
        .controller(route("/b", "pets:read"))
        .build()
        .unwrap();
    let document = serde_json::to_value(Document::from_api(&api)).unwrap();
    assert_eq!(
        document["components"]["securitySchemes"]["oauth"]["flows"]["clientCredentials"]["scopes"],
        json!({ "pets:read": "See pets.", "pets:write": "" })
    );
}

#[test]
fn security_schemes() {
    let oidc = SecurityScheme::open_id_connect("https://a.example").description("SSO");
    let cookie = SecurityScheme::api_key(ApiKeyLocation::Cookie, "session");
    let configuration =
        Configuration::new("a", "1").authenticator("oidc", Scheme(oidc)).authenticator("cookie", Scheme(cookie));
    let document = Document::from_api(&Api::builder(configuration).build().unwrap());
    assert_eq!(
        serde_json::to_value(document.components.security_schemes).unwrap(),
        json!({
            "cookie": { "type": "apiKey", "in": "cookie", "name": "session" },
            "oidc": { "type": "openIdConnect", "openIdConnectUrl": "https://a.example", "description": "SSO" },
        })
    );
}
