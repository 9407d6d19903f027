//! Conditional requests, as RFC 9110 defines them in sections 13.1 and 13.2.

use std::sync::Mutex;

use restwright::extend::core::conditional::{EntityTag, PreconditionRequired, Preconditions, Tagged};
use restwright::prelude::*;
use restwright::testing::TestClient;
use serde_json::{Value, json};

/// Returns one document in its third version. `/missing` has no document.
struct View;

impl Controller for View {
    type Request = ();
    type Response = Tagged<Data<&'static str>>;

    fn route(&self) -> Route {
        Route::get("/document").public()
    }

    async fn handle(&self, (): ()) -> Result<Tagged<Data<&'static str>>> {
        Ok(Tagged::new(EntityTag::strong(3), Data("text")))
    }
}

#[derive(Request)]
struct ReplaceRequest {
    preconditions: Preconditions,
}

/// Replaces the document, which may or may not exist.
struct Replace {
    route: Route,
    current: Option<EntityTag>,
    changes: Mutex<u32>,
}

impl Controller for Replace {
    type Request = ReplaceRequest;
    type Response = NoContent;

    fn route(&self) -> Route {
        self.route.clone().public()
    }

    async fn handle(&self, request: ReplaceRequest) -> Result<NoContent> {
        request.preconditions.check(self.current.as_ref())?;
        *self.changes.lock().unwrap() += 1;
        Ok(NoContent)
    }
}

fn client() -> TestClient {
    let replace = |route: Route, current| Replace { route, current, changes: Mutex::default() };
    let api = Api::builder(Configuration::new("documents", "1.0.0"))
        .controller(View)
        .controller(replace(Route::put("/document").id("replace"), Some(EntityTag::strong(3))))
        .controller(replace(Route::put("/weak").id("weak"), Some(EntityTag::weak(3))))
        .controller(replace(Route::put("/missing").id("missing"), None))
        .controller(replace(
            Route::put("/required").id("required").with(PreconditionRequired),
            Some(EntityTag::strong(3)),
        ))
        .build();
    TestClient::new(api.unwrap())
}

#[test]
fn preconditions_decide_the_status() {
    let client = client();
    let (same, other, both) = ("\"3\"", "\"4\"", "\"4\" , \"3;gzip\"");
    for (method, path, if_match, if_none_match, expected) in [
        ("GET", "/document", "", "", 200),
        ("GET", "/document", "", same, 304),
        ("GET", "/document", "", "W/\"3\"", 304),
        ("GET", "/document", "", both, 304),
        ("GET", "/document", "", "*", 304),
        ("GET", "/document", "", other, 200),
        // A malformed `If-None-Match` of a `GET` is ignored.
        ("GET", "/document", "", "3", 200),
        ("GET", "/document", "", " ", 200),
        ("GET", "/document", "", "\"3\" \"3\"", 200),
        ("GET", "/document", same, "3", 200),
        ("GET", "/document", other, "3", 412),
        ("HEAD", "/document", "", "3", 200),
        ("GET", "/document", "3", "", 422),
        ("GET", "/document", "3", same, 422),
        ("HEAD", "/document", "3", "", 422),
        ("PUT", "/document", "", " ", 422),
        ("HEAD", "/document", "", same, 304),
        ("HEAD", "/document", "", other, 200),
        ("GET", "/document", same, "", 200),
        ("GET", "/document", "*", "", 200),
        ("GET", "/document", other, "", 412),
        ("GET", "/document", "W/\"3\"", "", 412),
        ("GET", "/document", other, same, 412),
        ("GET", "/document", same, same, 304),
        ("PUT", "/document", "", "", 204),
        ("PUT", "/document", same, "", 204),
        ("PUT", "/document", both, "", 204),
        ("PUT", "/document", "*", "", 204),
        ("PUT", "/document", other, "", 412),
        ("PUT", "/document", "W/\"3\"", "", 412),
        ("PUT", "/document", "", "*", 412),
        ("PUT", "/document", "", "W/\"3\"", 412),
        ("PUT", "/document", "", other, 204),
        ("PUT", "/document", "3", "", 422),
        ("PUT", "/document", "", "\"3", 422),
        ("PUT", "/weak", "W/\"3\"", "", 412),
        ("PUT", "/weak", "", other, 204),
        ("PUT", "/missing", "*", "", 412),
        ("PUT", "/missing", same, "", 412),
        ("PUT", "/missing", "", "*", 204),
        ("PUT", "/required", "", "", 428),
        ("PUT", "/required", same, "", 204),
        ("PUT", "/required", "", other, 204),
    ] {
        let mut request = client.request(method.parse().unwrap(), path);
        for (name, value) in [("If-Match", if_match), ("If-None-Match", if_none_match)] {
            if !value.is_empty() {
                request = request.header(name, value);
            }
        }
        let response = request.send();
        let case = format!("{method} {path} {if_match} {if_none_match}");
        assert_eq!(response.status(), expected, "{case}");
        response.assert_documented();
        // A 304 contains the tag that the client sent.
        let tag = if expected == 304 && if_none_match == both { "\"3;gzip\"" } else { same };
        let tag = (expected < 400 && path == "/document" && method != "PUT").then_some(tag);
        assert_eq!(response.header("etag"), tag, "{case}");
        if expected == 304 {
            assert_eq!((response.text(), response.header("content-type")), ("", None), "{case}");
        }
    }
}

#[test]
fn preconditions_are_documented() {
    let document: Value =
        serde_json::from_str(&restwright::openapi::Document::from_api(client().api()).to_json()).unwrap();
    let statuses = |method: &str, path: &str| {
        let operation = &document["paths"][path][method];
        let mut found: Vec<_> = operation["responses"].as_object().unwrap().keys().cloned().collect();
        found.retain(|status| ["304", "412", "428"].contains(&status.as_str()));
        let headers: Vec<_> =
            operation["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
        json!([found, headers])
    };
    let headers = json!(["If-Match", "If-None-Match"]);
    assert_eq!(statuses("get", "/document"), json!([["304", "412"], headers]));
    assert_eq!(statuses("put", "/document"), json!([["412"], headers]));
    assert_eq!(statuses("put", "/required"), json!([["412", "428"], headers]));
}
