//! The texts that languages contain or lack.

use animals::authentication::{Authentication, SCOPES};
use restwright::auth::ApiKey;
use restwright::language::Translation;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright::{list, resource, schema};
use serde_json::{Value, json};

#[test]
fn the_catalogue_contains_the_codes_of_all_crates() {
    let api = Api::builder(Configuration::new("empty", "1").language(Translation::new("fr"))).build().unwrap();
    let missing = api.missing_translations();
    let codes = schema::Code::ALL.iter().chain(list::codes::ALL).map(|(code, _)| code);
    let of_resources = [
        resource::codes::CONFLICT,
        resource::codes::MISSING_REFERENCE,
        resource::codes::READ_ONLY,
        resource::codes::REJECTED,
    ];
    for code in codes.chain(&of_resources).filter(|code| **code != schema::Code::INVALID) {
        assert!(missing.contains(&format!("fr: violation `{code}`")), "{code}");
    }
}

#[test]
fn german_is_complete() {
    let api = animals::api().unwrap();
    assert_eq!(api.missing_translations(), Vec::<String>::new());
}

/// Returns a client of the example that prefers German. Its key has all scopes.
fn client() -> TestClient {
    let new = ApiKey::generate("tests").unwrap();
    let authentication = Authentication::default().key(new.key().clone().scopes(SCOPES));
    let api = animals::api_for(&authentication, 600, animals::store_at("sqlite::memory:")).unwrap();
    let client = TestClient::new(api);
    client.start().unwrap();
    client.with_header("X-Api-Key", new.text()).with_header("Accept-Language", "de-AT, en;q=0.1")
}

/// Sends a request with a body and checks the problem: its title, its detail, and the messages of its violations.
#[track_caller]
fn check(request: (&str, &str, Value), title: &str, detail: &str, messages: &[&str]) {
    let (method, path, body) = request;
    let client = client();
    let sent = client.request(method.parse().unwrap(), path);
    let sent = if body.is_null() { sent } else { sent.json(&body) };
    let response = sent.send();
    response.assert_header("content-language", "de").assert_documented();
    assert!(response.header("vary").is_some_and(|vary| vary.contains("Origin, Accept-Language")), "{path}");
    let problem = response.json::<Value>();
    let violations = response.violations();
    let found: Vec<_> = violations.iter().map(|one| one.message.as_str()).collect();
    assert_eq!((&problem["title"], &problem["detail"], &*found), (&json!(title), &json!(detail), messages), "{path}");
}

#[test]
fn problems_of_the_example_are_german() {
    let invalid = "Ungültige Anfrage";
    let none = || Value::Null;
    check(("GET", "/nothing", none()), "Nicht gefunden", "Unter diesem Pfad ist nichts.", &[]);
    check(("GET", "/pets/100000", none()), "Tier nicht gefunden", "Es gibt kein Tier 100000.", &[]);
    let id = "019a0000-0000-7000-8000-000000000000";
    check(("GET", &format!("/animals/{id}"), none()), "Nicht gefunden", "Zu diesem Bezeichner gibt es nichts.", &[]);
    let method = "Dieser Pfad nimmt diese Methode nicht an; `Allow` nennt die möglichen.";
    check(("PUT", "/health", none()), "Methode nicht erlaubt", method, &[]);
    check(
        ("GET", "/pets?order_by=color,name,name&filter[x]=1&page=0&page=1&weight_kg[between]=1", none()),
        invalid,
        "Zahl der Verstöße in der Anfrage: 5.",
        &[
            "filtert nach einem unbekannten Feld; möglich sind: name, species, weight_kg, birth_date",
            "muss aus zwei Werten bestehen, mit Komma getrennt oder einzeln angegeben",
            "kann nicht nach `color` sortieren; möglich sind: name, species, weight_kg, birth_date, id",
            "sortiert zweimal nach `name`",
            "darf nur einmal vorkommen",
        ],
    );
    check(
        (
            "POST",
            "/animals",
            json!({ "name": "", "species": "fish", "weight_kg": -1, "born_on": "1", "tags": 1, "x": 1 }),
        ),
        invalid,
        "Zahl der Verstöße in der Anfrage: 6.",
        &[
            "ist zu kurz; Zahl der Zeichen: mindestens 1",
            "muss einer dieser Werte sein: bird, cat, dog",
            "muss mindestens 0 sein",
            "muss das Format date haben",
            "muss vom Typ array sein, nicht integer",
            "ist hier nicht bekannt",
        ],
    );
    check(
        ("GET", "/animals/1", none()),
        invalid,
        "Zahl der Verstöße in der Anfrage: 1.",
        &["muss das Format uuid haben"],
    );
    check(
        ("POST", "/pets", json!([])),
        invalid,
        "Zahl der Verstöße in der Anfrage: 1.",
        &["muss vom Typ object sein, nicht array"],
    );
    let text = ["darf nicht null sein"];
    check(
        ("PATCH", &format!("/animals/{id}"), json!({ "name": null })),
        invalid,
        "Zahl der Verstöße in der Anfrage: 1.",
        &text,
    );
    let text = ["darf das Zeichen NUL nicht enthalten"];
    let body = json!({ "name": "a\0", "species": "cat" });
    check(("POST", "/animals", body), invalid, "Zahl der Verstöße in der Anfrage: 1.", &text);
}
