//! The served document and page.

use restwright_openapi::{Document, DocumentOptions, Documentation, OpenApiVersion};
use restwright_runtime::Api;
use restwright_runtime::core::auth::{Authentication, Authenticator, Identity};
use restwright_runtime::core::http::HttpRequest;
use restwright_runtime::core::operation::SecurityScheme;
use restwright_testing::TestClient;

use crate::everything;
use crate::support::configuration;

const SCRIPT: &str = "/docs/swagger-ui-5.35.0.js";

fn client() -> TestClient {
    TestClient::new(everything::api())
}

#[test]
fn the_document_is_served_as_it_is() {
    let client = client();
    let response = client.get("/openapi.json").send();
    response
        .assert_status(200)
        .assert_header("content-type", "application/json")
        .assert_header("cache-control", "no-cache");
    assert_eq!(response.text(), Document::from_api(client.api()).to_compact_json());
}

#[test]
fn creates_other_versions_on_request() {
    let client = client();
    for (path, version) in [("/openapi-3.0.json", OpenApiVersion::V3_0), ("/openapi-3.2.json", OpenApiVersion::V3_2)] {
        let first = client.get(path).send();
        first.assert_status(200).assert_header("content-type", "application/json");
        let document = Document::with_options(client.api(), &DocumentOptions::new(version));
        assert_eq!(first.text(), document.to_compact_json());
        client.get(path).send().assert_status(200).assert_header("etag", first.header("etag").unwrap());
    }
}

#[test]
fn documents_do_not_keep_the_api_alive() {
    let client = client();
    let api = client.api().downgrade();
    client.get("/openapi-3.0.json").send().assert_status(200);
    drop(client);
    assert!(api.upgrade().is_none());
}

#[test]
fn returns_304_for_an_unchanged_file() {
    for path in ["/openapi.json", "/openapi-3.0.json", "/docs", SCRIPT, "/docs/start.js"] {
        let client = client();
        let first = client.get(path).send();
        let tag = first.assert_status(200).header("etag").unwrap();
        assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag} is not strong");
        let again = client.get(path).header("if-none-match", tag).send();
        again.assert_status(304).assert_header("etag", tag);
        assert!(again.bytes().is_empty());
        client.get(path).header("if-none-match", "\"other\"").send().assert_status(200);
    }
}

#[test]
fn changes_the_tag_with_the_document() {
    let tag = |version: &str| {
        let configuration = restwright_runtime::core::Configuration::new("a", version);
        let api = Api::builder(configuration).module(&Documentation::public()).build().unwrap();
        TestClient::new(api).get("/openapi.json").send().header("etag").unwrap().to_owned()
    };
    assert_eq!(tag("1"), tag("1"));
    assert_ne!(tag("1"), tag("2"));
}

#[test]
fn serves_all_files_of_the_page() {
    let client = client();
    let page = client.get("/docs").send();
    page.assert_status(200).assert_header("content-type", "text/html; charset=utf-8");
    let names: Vec<_> = page.text().split('"').filter(|text| text.starts_with("docs/")).collect();
    assert_eq!(names.len(), 7);
    for name in names {
        let asset = client.get(format!("/{name}")).send();
        asset.assert_status(200).assert_header("x-content-type-options", "nosniff");
        let expected =
            if name.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
        asset.assert_header("content-type", expected);
    }
    for name in ["oauth2-redirect.html", "oauth2-redirect.js"] {
        client.get(format!("/docs/{name}")).send().assert_status(200);
    }
}

#[test]
fn allows_the_page_to_load_only_from_the_service() {
    let client = client();
    let page = client.get("/docs").send();
    page.assert_header(
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
         connect-src 'self' https://api.example.org https://login.example.com; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
    );
    assert!(!page.text().contains("<script>") && !page.text().contains("http"), "{}", page.text());
}

#[test]
fn large_files_are_compressed_and_may_be_kept() {
    let client = client();
    let script = client.get(SCRIPT).header("accept-encoding", "gzip, br").send();
    script.assert_status(200).assert_header("content-encoding", "gzip").assert_header("vary", "Accept-Encoding");
    script.assert_header("cache-control", "max-age=31536000, immutable");
    assert_eq!(script.bytes()[..2], [0x1f, 0x8b]);
    for rejected in ["identity", "gzip;Q=0, br"] {
        let script = client.get(SCRIPT).header("accept-encoding", rejected).send();
        script.assert_status(406).assert_problem("not_acceptable");
    }
    client.get("/docs/start.js").header("accept-encoding", "identity").send().assert_status(200);
}

#[test]
fn sends_no_file_for_head() {
    let client = client();
    let head = client.head(SCRIPT).send();
    let length = client.get(SCRIPT).send().bytes().len().to_string();
    head.assert_status(200).assert_header("content-length", &length);
    assert!(head.bytes().is_empty());
}

#[test]
fn documentation_can_be_guarded() {
    let api = Api::builder(configuration()).module(&Documentation::authorize("bearer", ["docs"])).build().unwrap();
    let client = TestClient::new(api);
    for path in ["/openapi.json", "/openapi-3.0.json", "/openapi-3.2.json", "/docs", SCRIPT] {
        client.get(path).send().assert_status(401).assert_problem("unauthenticated");
    }
}

/// Accepts every caller.
struct Everyone;

impl Authenticator for Everyone {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::bearer("JWT")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::Identity(Identity::builder("ann").scopes(["docs"]).build())
    }
}

#[test]
fn no_shared_cache_keeps_guarded_documentation() {
    let configuration = configuration().authenticator("everyone", Everyone);
    let api = Api::builder(configuration).module(&Documentation::authorize("everyone", ["docs"])).build().unwrap();
    let client = TestClient::new(api);
    for (path, value) in [
        ("/openapi.json", "private, no-cache"),
        ("/docs", "private, no-cache"),
        ("/docs/start.js", "private, no-cache"),
        (SCRIPT, "private, max-age=31536000, immutable"),
    ] {
        let first = client.get(path).send();
        first.assert_status(200).assert_header("cache-control", value);
        let again = client.get(path).header("if-none-match", first.header("etag").unwrap()).send();
        again.assert_status(304).assert_header("cache-control", value);
    }
}

#[test]
fn hides_its_own_routes() {
    let api = Api::builder(configuration()).module(&Documentation::public()).build().unwrap();
    assert!(Document::from_api(&api).paths.is_empty());
}
