//! Mistakes, and the document.

use std::time::Duration;

use restwright::AfterAuthentication;
use restwright::http::Method;
use restwright::prelude::*;
use restwright::production::Cors;
use restwright::testing::TestClient;

use super::{api, some};

#[test]
fn mistakes_do_not_build() {
    let some = || Cors::new().allow_origin("https://shop.example.com");
    let day = Duration::from_secs(24 * 60 * 60);
    for (cors, expected) in [
        (Cors::new().allow_any_origin().allow_credentials(), "any origin is allowed with credentials"),
        (
            Cors::new().allow_credentials().allow_any_origin().allow_origin("https://shop.example.com"),
            "any origin is allowed",
        ),
        (some().allow_null_origin().allow_credentials(), "the origin `null` is allowed with credentials"),
        (some().allow_credentials().allow_headers(["*"]), "with credentials, the header `*` is not a wildcard"),
        (
            some().allow_credentials().expose_headers(["ETag", "*"]),
            "with credentials, the header `*` is not a wildcard",
        ),
        (some().allow_origin("*").allow_credentials(), "`*` is not an origin"),
        (some().allow_origins(["https://a.example.com/", "x"]), "write `https://a.example.com`"),
        (some().allow_subdomains("https://*.example.com"), "write `.allow_subdomains(\"https://example.com\")`"),
        (some().allow_headers(["X Reason"]), "`X Reason` is not a header name"),
        (some().expose_headers([""]), "`` is not a header name"),
        (some().max_age(day + Duration::from_secs(1)), "must be at most one day"),
    ] {
        let errors = api(cors).unwrap_err().to_string();
        assert_eq!(errors.matches(expected).count(), 1, "{expected}: {errors}");
    }
    let route = || Route::get("/").id("one").public();
    let handler = async |()| Ok(Data("ok"));
    let builder = || Api::builder(Configuration::new("misplaced", "1.0.0"));
    for misplaced in [
        builder().controller(route().middleware(some()).handler(handler)),
        builder().group(
            Group::new("/all")
                .middleware(some())
                .controller(route().handler(handler))
                .controller(Route::get("/other").id("other").public().handler(handler)),
        ),
        builder().middleware(AfterAuthentication(some())).controller(route().handler(handler)),
    ] {
        let errors = misplaced.build().unwrap_err().to_string();
        assert_eq!(errors.matches("`Cors` receives no preflights").count(), 1, "{errors}");
        assert!(errors.contains("register it on the Api"), "{errors}");
    }
    for cors in [Cors::new(), some().allow_null_origin(), some().allow_headers(["*"]), some().max_age(day)] {
        api(cors).unwrap();
    }
}

#[test]
fn the_document_has_the_headers() {
    let document = |cors| serde_json::to_value(restwright::openapi::Document::from_api(&api(cors).unwrap())).unwrap();
    let (some, any) = (document(some()), document(Cors::new().allow_any_origin()));
    for (name, required_of_some, required_of_any) in [
        ("Access-Control-Allow-Origin", Some(false), Some(true)),
        ("Access-Control-Allow-Credentials", Some(false), None),
        ("Access-Control-Expose-Headers", Some(false), Some(false)),
    ] {
        let required = |document: &serde_json::Value| {
            let of_all = document["x-response-headers"].get(name);
            let header = of_all.or_else(|| document["components"]["headers"].get(name))?;
            let own = &document["paths"]["/pets/{id}"]["patch"]["responses"]["200"]["headers"][name];
            assert!(of_all.is_some() || own["$ref"] == format!("#/components/headers/{name}"), "{own}");
            Some(header.get("required").is_some())
        };
        assert_eq!((required(&some), required(&any)), (required_of_some, required_of_any), "{name}");
    }
    assert!(some["x-response-headers"]["Vary"].is_object());
    assert!(any["x-response-headers"]["Vary"].is_null());
    for cors in [super::some(), Cors::new().allow_any_origin()] {
        let client = TestClient::new(api(cors).unwrap()).with_header("Origin", "https://shop.example.com");
        client.get("/pets").send().assert_status(200).assert_documented();
        client.get("/varies").send().assert_status(200).assert_documented();
        client.delete("/pets/7").send().assert_status(401).assert_documented();
        let preflight = client.request(Method::OPTIONS, "/pets/7").header("Access-Control-Request-Method", "PATCH");
        preflight.send().assert_status(204).assert_documented();
    }
}
