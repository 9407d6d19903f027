//! The description of routes with keys, and invalid declarations.

use restwright::Next;
use restwright::auth::Access;
use restwright::http::{HttpRequest, HttpResponse};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::{BuildErrorKind, Clock};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use serde_json::{Value, json};

use super::script::Script;
use super::{configuration, payments};

fn idempotency() -> Idempotency {
    Idempotency::new(MemoryIdempotencyStore::new())
}

fn document(idempotency: Idempotency) -> Value {
    let api = Api::builder(configuration()).group(payments(idempotency, &Script::default())).build().unwrap();
    serde_json::to_value(Document::from_api(&api)).unwrap()
}

#[test]
fn documents_the_headers_and_problems() {
    let document = document(idempotency());
    let pay = &document["paths"]["/payments"]["post"];
    let [parameter] = pay["parameters"].as_array().unwrap().as_slice() else { panic!("{pay:#}") };
    assert_eq!((&parameter["name"], &parameter["in"]), (&json!("Idempotency-Key"), &json!("header")));
    assert_eq!(parameter.get("required"), None);
    assert!(parameter["description"].as_str().unwrap().contains("for 24 hours"), "{parameter:#}");
    let schema = &parameter["schema"];
    assert_eq!(
        (&schema["type"], &schema["minLength"], &schema["maxLength"]),
        (&json!("string"), &json!(1), &json!(512))
    );
    assert!(schema["pattern"].as_str().unwrap().contains("{1,255}"), "{schema:#}");

    let replayed = &pay["responses"]["204"]["headers"]["Idempotency-Replayed"];
    assert_eq!(replayed["$ref"], "#/components/headers/Idempotency-Replayed");
    assert_eq!(document["components"]["headers"]["Idempotency-Replayed"]["schema"]["type"], "boolean");
    let component = |status: &str| {
        let reference = pay["responses"][status]["$ref"].as_str().unwrap();
        document.pointer(reference.strip_prefix('#').unwrap()).unwrap()
    };
    let headers = component("409")["headers"].as_object().unwrap();
    assert_eq!(headers.keys().collect::<Vec<_>>(), ["Idempotency-Replayed", "Retry-After"]);
    assert_eq!(component("422").get("headers"), None);
    for (status, code) in
        [("400", "invalid_idempotency_key"), ("409", "idempotency_in_progress"), ("422", "idempotency_key_reused")]
    {
        assert!(component(status).to_string().contains(code), "{status}");
    }
}

#[test]
fn documents_a_required_key() {
    let document = document(idempotency().required());
    for (method, count) in [("post", 1), ("patch", 1), ("put", 0), ("delete", 0), ("get", 0)] {
        let operation = &document["paths"]["/payments"][method];
        let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert_eq!(parameters.len(), count, "{method}");
        assert!(parameters.iter().all(|parameter| parameter["required"] == true), "{method}");
        assert_eq!(operation["responses"].to_string().contains("Idempotency-Replayed"), count == 1, "{method}");
    }
}

/// Runs a middleware before authentication.
struct Early(Idempotency);

impl Middleware for Early {
    fn plan(&self, context: &mut restwright::BuildContext<'_>) -> Result<(), BuildErrors> {
        self.0.plan(context)
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        self.0.handle(request, next).await
    }
}

#[test]
fn rejects_routes_that_cannot_have_keys() {
    let route = |path: &str, id: &str| Route::post(path).id(id);
    let cases: [(&str, Route, &str); 6] = [
        ("POST /public", route("/public", "a").public().middleware(idempotency()), "require credentials"),
        (
            "POST /maybe",
            route("/maybe", "b").access(Access::optional("key")).middleware(idempotency()),
            "guests may call",
        ),
        (
            "POST /early",
            route("/early", "c").authorize("key", ["pay"]).middleware(Early(idempotency())),
            "forward `stage`",
        ),
        (
            "POST /twice",
            route("/twice", "d").authorize("key", ["pay"]).middleware(idempotency()).middleware(idempotency()),
            "two parameters in the header are named `Idempotency-Key`",
        ),
        ("GET /get", Route::get("/get").id("e").public().middleware(idempotency()), "not to `GET`"),
        ("PUT /put", Route::put("/put").id("f").public().middleware(idempotency()), "not to `PUT`"),
    ];
    for (place, route, message) in cases {
        let controller = route.handler(async |(): ()| Ok(NoContent));
        let errors = Api::builder(configuration()).controller(controller).build().unwrap_err();
        let [error] = errors.errors() else { panic!("{place}: {errors}") };
        assert_eq!(error.place(), Some(place));
        assert!(error.message().contains(message), "{error}");
    }
    let public = Route::get("/public").id("a").public().handler(async |(): ()| Ok(NoContent));
    let group = Group::new("").middleware(idempotency()).controller(public);
    Api::builder(configuration()).group(group).build().unwrap();
}

#[test]
fn rejects_one_store_in_two_apis_with_different_clocks() {
    let idempotency = idempotency();
    let build = || {
        let configuration = configuration().clock(Clock::manual(0));
        Api::builder(configuration).group(payments(idempotency.clone(), &Script::default())).build()
    };
    build().unwrap();
    let errors = build().unwrap_err();
    let [error] = errors.errors() else { panic!("{errors}") };
    assert_eq!(error.kind(), BuildErrorKind::Middleware);
    assert!(error.message().contains("a different clock"), "{error}");
}
