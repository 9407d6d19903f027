use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::production::{Compression, ContentCoding, Uncompressed};
use restwright::testing::TestClient;
use serde_json::Value;

use super::{api, get};
use crate::server::Server;

#[test]
fn the_document_has_what_a_client_needs() {
    let document = serde_json::to_value(Document::from_api(&api(Compression::new()).unwrap())).unwrap();
    let parameters = |operation: &Value| {
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        parameters.iter().map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let notes = &document["paths"]["/notes"]["post"];
    assert_eq!(parameters(notes), [""; 0]);
    let description = notes["requestBody"]["description"].as_str().unwrap();
    assert!(description.ends_with("`Content-Encoding` may be gzip, zstd."), "{description}");
    let refused = notes["responses"]["415"]["$ref"].as_str().unwrap().strip_prefix('#').unwrap();
    let refused = document.pointer(refused).unwrap();
    assert!(refused["headers"]["Accept-Encoding"].is_object(), "{refused}");
    let codes = |operation: &Value| match operation["responses"]["400"]["description"].as_str() {
        Some(codes) => codes.to_owned(),
        None => document["components"]["schemas"]["BadRequestProblem"]["properties"]["code"]["enum"].to_string(),
    };
    assert!(codes(notes).contains("undecodable_body"), "{}", codes(notes));
    let json = &document["paths"]["/json"]["get"];
    assert_eq!(parameters(json), [""; 0]);
    let headers = &json["responses"]["200"]["headers"];
    assert!(headers["Vary"].is_object() && headers["Content-Encoding"].is_object(), "{json}");
    let reference = headers["Content-Encoding"]["$ref"].as_str().unwrap();
    let header = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
    assert!(header["description"].as_str().unwrap().contains("zstd, br, gzip"), "{header}");
    for path in ["/session", "/account/keys"] {
        assert!(document["paths"][path]["get"]["responses"]["200"]["headers"]["Vary"].is_null(), "{path}");
    }
    let webhook = &document["paths"]["/webhook/json"]["post"];
    assert!(!webhook["requestBody"].to_string().contains("Content-Encoding"), "{webhook}");
    assert!(!codes(webhook).contains("undecodable_body"), "{}", codes(webhook));
}

#[test]
fn responses_are_as_documented() {
    let client = TestClient::new(api(Compression::new()).unwrap());
    let send =
        |coding: &str| client.post("/notes").header("content-encoding", coding).body("application/json", "{}").send();
    send("br").assert_status(415).assert_documented();
    send("gzip").assert_status(400).assert_documented();
    send("zstd").assert_status(400).assert_documented();
    client.get("/version").send().assert_status(200).assert_header("vary", "Accept-Encoding").assert_documented();
    let known = client.get("/version").header("if-none-match", "\"5;gzip\"").header("accept-encoding", "gzip").send();
    known.assert_status(304).assert_header("etag", "\"5;gzip\"").assert_documented();
    client.get("/session").send().assert_status(200).assert_documented();
    client
        .post("/webhook/json")
        .header("content-encoding", "gzip")
        .body("application/json", "{}")
        .send()
        .assert_status(415)
        .assert_documented();
}

#[test]
fn a_middleware_without_codings_does_not_build() {
    let errors = api(Compression::new().codings([])).map(drop).unwrap_err().to_string();
    assert_eq!(errors.matches("the list of response codings is empty").count(), 1, "{errors}");
    api(Compression::new().codings([ContentCoding::Gzip])).unwrap();
}

/// A setting of a group that a group or a route inside may have otherwise.
#[derive(Clone, PartialEq, Debug)]
struct Currency(&'static str);

#[test]
fn settings_of_groups_hold_for_their_routes() {
    #[derive(Clone, Default)]
    struct Seen(std::sync::Arc<std::sync::Mutex<Vec<Option<Currency>>>>);
    impl Middleware for Seen {
        fn plan(&self, context: &mut restwright::core::BuildContext<'_>) -> std::result::Result<(), BuildErrors> {
            self.0.lock().unwrap().push(context.route().setting::<Currency>().cloned());
            Ok(())
        }

        async fn handle(
            &self,
            request: &mut restwright::core::http::HttpRequest,
            next: restwright::core::Next<'_>,
        ) -> Result<restwright::core::http::HttpResponse> {
            Ok(next.run(request).await)
        }
    }
    let seen = Seen::default();
    let route = |id: &str| Route::get(format!("/{id}")).id(id).public();
    let handler = async |()| Ok(NoContent);
    let inner = Group::new("/inner")
        .with(Currency("GBP"))
        .controller(route("c").handler(handler))
        .controller(route("d").with(Currency("CHF")).handler(handler));
    let group = Group::new("/outer")
        .with(Currency("USD"))
        .with(Currency("EUR"))
        .with(Uncompressed)
        .controller(route("b").handler(handler))
        .group(inner);
    let api = Api::builder(Configuration::new("settings", "1.0.0"))
        .middleware(seen.clone())
        .middleware(Compression::new())
        .controller(route("a").handler(handler))
        .group(group)
        .build()
        .unwrap();
    let names: Vec<_> = seen.0.lock().unwrap().iter().map(|seen| seen.as_ref().map(|currency| currency.0)).collect();
    assert_eq!(names, [None, Some("EUR"), Some("GBP"), Some("CHF")]);
    assert_eq!(get(&Server::start(api), "/outer/b", &[]).status, 204);
}
