//! Requests and their responses.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::Mode;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, MemoryStore};
use serde_json::{Value, json};

use super::{Animal, Shelter, id};

/// The expected content of a response.
#[derive(Debug)]
enum Content {
    Nothing,
    /// Members of `data`.
    Data(Value),
    /// A problem with this code, whose detail contains the string.
    Problem(&'static str, &'static str),
    /// Violations of the request, or of a conflict.
    Violations(&'static [(&'static str, &'static str, &'static str)]),
}

use Content::{Data as Shown, Nothing, Problem as Failed, Violations};

/// The request, its headers and its body, and the expected status and content.
type Case = (&'static str, &'static [&'static str], Option<&'static str>, u16, Content);

fn check(shelter: impl Fn() -> Shelter, cases: Vec<Case>) {
    for (request, headers, body, status, content) in cases {
        let response = shelter().send(request, headers, body);
        let case = format!("{request} {headers:?} {body:?}");
        assert_eq!(response.status(), status, "{case}: {response:?}");
        match content {
            Nothing => assert_eq!(response.text(), "", "{case}"),
            Shown(expected) => {
                let found: Value = response.json();
                for (name, value) in expected.as_object().unwrap() {
                    assert_eq!(found["data"][name], *value, "{case}: {response:?}");
                }
            }
            Failed(code, text) => {
                let detail = response.assert_problem(code).json::<Value>()["detail"].to_string();
                assert!(detail.contains(text), "{case}: {response:?}");
            }
            Violations(expected) => {
                let violations = response.violations();
                let found: Vec<_> = violations
                    .iter()
                    .map(|one| (one.location.as_str(), one.pointer.as_str(), one.code.as_str()))
                    .collect();
                assert_eq!(found, expected, "{case}: {response:?}");
            }
        }
    }
}

#[test]
fn creates_entities() {
    let created = json!({"name": "Mia", "species": "bird", "weight_kg": null, "updates": 0});
    check(
        Shelter::new,
        vec![
            ("POST /animals", &[], Some(r#"{"name": "Mia", "species": "bird"}"#), 201, Shown(created)),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "Ada", "species": "cat"}"#),
                409,
                Violations(&[("body", "/name", "conflict")]),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "Ada", "species": "cat"}"#),
                409,
                Failed("conflict", "Another animal already has this `name`"),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "", "species": "cow", "age": 7}"#),
                422,
                Violations(&[
                    ("body", "/name", "min_length"),
                    ("body", "/species", "enum"),
                    ("body", "/age", "unknown_property"),
                ]),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "Mia", "species": "bird", "weight_kg": 21}"#),
                422,
                Violations(&[("body", "/weight_kg", "too_heavy")]),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "Mia", "species": "cat", "chip": 18446744073709551615}"#),
                422,
                Violations(&[("body", "/chip", "maximum")]),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "Mia", "species": "cat", "mother_id": "01890000-0000-7000-8000-000000000000"}"#),
                422,
                Violations(&[("body", "/mother_id", "missing_reference")]),
            ),
            (
                "POST /animals",
                &[],
                Some(r#"{"name": "M\u0000a", "species": "cat"}"#),
                422,
                Violations(&[("body", "/name", "invalid")]),
            ),
            ("POST /animals", &[], Some("{"), 400, Failed("malformed_body", "line 1")),
            ("POST /animals", &["Content-Type: text/plain"], Some("{}"), 415, Failed("unsupported_media_type", "JSON")),
        ],
    );
}

#[test]
fn views_entities() {
    let ada = || Shown(json!({"name": "Ada", "weight_kg": 30.5, "chip": null, "updates": 0}));
    check(
        Shelter::new,
        vec![
            ("GET /animals/{ada}", &[], None, 200, ada()),
            ("GET /animals/{ada}", &["If-None-Match: \"other\""], None, 200, ada()),
            ("GET /animals/{ada}", &["If-None-Match: {tag}"], None, 304, Nothing),
            ("GET /animals/{ada}", &["If-Match: \"other\""], None, 412, Failed("precondition_failed", "If-Match")),
            ("HEAD /animals/{ada}", &[], None, 200, Nothing),
            ("HEAD /animals/{ada}", &["If-None-Match: {tag}"], None, 304, Nothing),
            (
                "GET /animals/01890000-0000-7000-8000-000000000000",
                &[],
                None,
                404,
                Failed("not_found", "There is no animal with this identifier."),
            ),
            ("GET /animals/7", &[], None, 422, Violations(&[("path", "/id", "format")])),
            ("PUT /animals/{ada}", &[], None, 405, Failed("method_not_allowed", "")),
        ],
    );
}

#[test]
fn updates_entities() {
    let patch: &[&str] = &["Content-Type: application/merge-patch+json"];
    check(
        Shelter::new,
        vec![
            (
                "PATCH /animals/{ada}",
                &[],
                Some(r#"{"name": "Mia"}"#),
                200,
                Shown(json!({"name": "Mia", "weight_kg": 30.5, "updates": 1})),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"weight_kg": null}"#),
                200,
                Shown(json!({"name": "Ada", "weight_kg": null})),
            ),
            ("PATCH /animals/{ada}", patch, Some("{}"), 200, Shown(json!({"name": "Ada", "updates": 1}))),
            ("PATCH /animals/{ada}", &["If-Match: {tag}"], Some(r#"{"chip": 7}"#), 200, Shown(json!({"chip": 7}))),
            ("PATCH /animals/{ada}", &["If-Match: *"], Some(r#"{"chip": 7}"#), 200, Shown(json!({"chip": 7}))),
            (
                "PATCH /animals/{ada}",
                &["If-Match: \"other\""],
                Some("{}"),
                412,
                Failed("precondition_failed", "If-Match"),
            ),
            (
                "PATCH /animals/{ada}",
                &["If-None-Match: {tag}"],
                Some("{}"),
                412,
                Failed("precondition_failed", "If-None-Match"),
            ),
            (
                "PATCH /animals/{ada}",
                &["If-Match: other"],
                Some("{}"),
                422,
                Violations(&[("header", "/If-Match", "format")]),
            ),
            ("PATCH /animals/{ada}", patch, Some("[]"), 422, Violations(&[("body", "", "type")])),
            ("PATCH /animals/{ada}", patch, Some("null"), 422, Violations(&[("body", "", "null")])),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"name": null, "colour": 7}"#),
                422,
                Violations(&[("body", "/name", "null"), ("body", "/colour", "unknown_property")]),
            ),
            // Read-only values are compared once the rest is valid.
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"name": null, "id": 7}"#),
                422,
                Violations(&[("body", "/name", "null")]),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"id": 7, "created_at": "2024-01-01T00:00:00Z"}"#),
                422,
                Violations(&[("body", "/id", "read_only"), ("body", "/created_at", "read_only")]),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"id": "{ada}", "name": "Eve"}"#),
                200,
                Shown(json!({"name": "Eve"})),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"species": "bird"}"#),
                422,
                Violations(&[("body", "", "too_heavy")]),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"name": "Rex"}"#),
                409,
                Violations(&[("body", "/name", "conflict")]),
            ),
            (
                "PATCH /animals/{ada}",
                patch,
                Some(r#"{"chip": 9223372036854775808}"#),
                422,
                Violations(&[("body", "/chip", "maximum")]),
            ),
            ("PATCH /animals/7", patch, Some("{}"), 422, Violations(&[("path", "/id", "format")])),
            (
                "PATCH /animals/01890000-0000-7000-8000-000000000000",
                &["If-Match: *"],
                Some("{}"),
                404,
                Failed("not_found", ""),
            ),
            (
                "PATCH /animals/{ada}",
                &["Content-Type: application/json-patch+json"],
                Some("[]"),
                415,
                Failed("unsupported_media_type", "merge patch"),
            ),
            (
                "PATCH /animals/{ada}",
                &["Content-Type: Application/Merge-Patch+JSON; charset=utf-8"],
                Some("{}"),
                200,
                Shown(json!({})),
            ),
            (
                "PATCH /animals/{ada}",
                &["Content-Type: "],
                Some("{}"),
                415,
                Failed("unsupported_media_type", "merge patch"),
            ),
        ],
    );
}

#[test]
fn deletes_entities() {
    check(
        Shelter::new,
        vec![
            ("DELETE /animals/{rex}", &[], None, 204, Nothing),
            ("DELETE /animals/{rex}", &["If-Match: *"], None, 204, Nothing),
            ("DELETE /animals/{rex}", &["If-Match: {tag}"], None, 412, Failed("precondition_failed", "If-Match")),
            (
                "DELETE /animals/{ada}",
                &["If-Match: {tag}"],
                None,
                409,
                Failed("conflict", "Entities of `animals` refer to this animal"),
            ),
            ("DELETE /animals/7", &[], None, 422, Violations(&[("path", "/id", "format")])),
            ("DELETE /animals/01890000-0000-7000-8000-000000000000", &[], None, 404, Failed("not_found", "")),
        ],
    );
    let shelter = Shelter::new();
    shelter.send("DELETE /animals/{rex}", &[], None);
    shelter.send("GET /animals/{rex}", &[], None).assert_status(404);
}

#[test]
fn preconditions_may_be_required() {
    let required = || Shelter::with(Endpoints::require_preconditions);
    check(
        required,
        vec![
            ("PATCH /animals/{ada}", &[], Some("{}"), 428, Failed("precondition_required", "If-Match")),
            ("DELETE /animals/{rex}", &[], None, 428, Failed("precondition_required", "If-Match")),
            ("PATCH /animals/{ada}", &["If-Match: {tag}"], Some("{}"), 200, Shown(json!({}))),
            ("DELETE /animals/{rex}", &["If-Match: *"], None, 204, Nothing),
            ("DELETE /animals/01890000-0000-7000-8000-000000000000", &[], None, 404, Failed("not_found", "")),
        ],
    );
}

/// The headers of a create contain the path and the tag of the new entity.
#[test]
fn a_create_returns_location_and_etag() {
    let shelter = Shelter::new();
    let created = shelter.send("POST /animals", &[], Some(r#"{"name": "Mia", "species": "cat"}"#));
    let (path, tag) = (created.header("location").unwrap(), created.header("etag").unwrap());
    assert_eq!(path, format!("/animals/{}", id(&created)));
    let header = format!("If-Match: {tag}");
    let viewed = shelter.send(&format!("GET {path}"), &[&header], None);
    viewed.assert_header("etag", tag).assert_json(&created.json());
    let changed = shelter.send(&format!("PATCH {path}"), &[&header], Some(r#"{"name": "Bo"}"#));
    let next = changed.header("etag").unwrap();
    assert_ne!(next, tag);
    shelter.send(&format!("GET {path}"), &[], None).assert_header("etag", next).assert_json(&changed.json());
}

/// A custom view replaces a removed operation at the same path, inside a group.
#[test]
fn operations_can_be_removed() {
    let endpoints = Endpoints::<Animal>::new(MemoryStore::new(), Access::public());
    let endpoints = endpoints.without(Mode::View).without(Mode::Delete);
    let view = Route::get("/animals/{id}").id("showAnimal").public();
    let api = Api::builder(Configuration::new("shelter", "1.0.0"))
        .module(&endpoints)
        .controller(view.handler(async |ById { id }: ById| Ok(Data(id))));
    let client = TestClient::new(api.build().unwrap());
    let created = client.post("/animals").json(&json!({"name": "Mia", "species": "cat"})).send();
    let path = created.assert_status(201).assert_documented().header("location").unwrap();
    client.get(path).send().assert_json(&json!({"data": id(&created)}));
    client.delete(path).send().assert_status(405).assert_header("allow", "GET, HEAD, OPTIONS, PATCH");
}

#[derive(Request)]
struct ById {
    #[segment]
    id: String,
}
