//! The texts that languages have and lack.

use animals::authentication::Authentication;
use restwright::language::Translation;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright::{list, resource, schema};
use serde_json::Value;

#[test]
fn the_catalogue_has_the_codes_of_all_crates() {
    let api = Api::builder(Configuration::new("empty", "1").language(Translation::new("fr"))).build().unwrap();
    let missing = api.missing_translations();
    let codes = schema::Code::ALL.iter().chain(list::codes::ALL).map(|(code, _)| code);
    let of_resources = [resource::codes::CONFLICT, resource::codes::MISSING_REFERENCE, resource::codes::READ_ONLY];
    for code in codes.chain(&of_resources).filter(|code| **code != schema::Code::INVALID) {
        assert!(missing.contains(&format!("fr: violation `{code}`")), "{code}");
    }
}

#[test]
fn german_lacks_nothing() {
    let api = animals::api().unwrap();
    assert_eq!(api.missing_translations(), Vec::<String>::new());
}

/// The title, the detail and the messages of the problem of a request in German.
fn german(method: &str, path: &str, body: &str) -> (String, String, Vec<String>) {
    let api = animals::api_for(&Authentication::default(), 600, animals::store_at("sqlite::memory:")).unwrap();
    let client = TestClient::new(api);
    let request = client.request(method.parse().unwrap(), path).header("accept-language", "de");
    let response = request.body("application/json", body.to_owned()).send();
    response.assert_header("content-language", "de").assert_documented();
    let problem = response.json::<Value>();
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (text("title"), text("detail"), response.violations().into_iter().map(|one| one.message).collect())
}

#[test]
fn problems_of_the_example_are_german() {
    let check = |request: (&str, &str, &str), title: &str, detail: &str, messages: &[&str]| {
        let (method, path, body) = request;
        let found = german(method, path, body);
        let messages = messages.iter().map(|message| (*message).to_owned()).collect();
        assert_eq!(found, (title.to_owned(), detail.to_owned(), messages), "{request:?}");
    };
    check(("GET", "/nothing", ""), "Nicht gefunden", "Unter diesem Pfad ist nichts.", &[]);
    check(("GET", "/pets/100000", ""), "Tier nicht gefunden", "Es gibt kein Tier 100000.", &[]);
    let method = "Dieser Pfad nimmt diese Methode nicht an; `Allow` nennt die möglichen.";
    check(("PUT", "/health", ""), "Methode nicht erlaubt", method, &[]);
    check(
        ("GET", "/pets?order_by=color,name,name&filter[x]=1&limit=0", ""),
        "Ungültige Anfrage",
        "Zahl der Verstöße in der Anfrage: 4.",
        &[],
    );
}
