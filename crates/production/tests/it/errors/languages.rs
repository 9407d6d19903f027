//! The texts of problems in the language of the request.

use restwright::http::header::VARY;
use restwright::http::{HeaderValue, HttpRequest, HttpResponse};
use restwright::language::{Locale, Translation};
use restwright::openapi;
use restwright::prelude::*;
use restwright::problem::{ErrorForm, ProblemView};
use restwright::production::Cors;
use restwright::schema::Invalid;
use restwright::testing::TestClient;
use restwright::{ApiBuilder, Next};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::form::{builder, configuration};
use crate::server::Server;

fn german() -> Translation {
    Translation::new("de")
        .title("not_found", "Nicht gefunden")
        .title("invalid_request", "Ungültige Anfrage")
        .title("internal_error", "Interner Fehler")
        .title("sold_out", "Ausverkauft")
        .title("pen_broken", "Stift kaputt")
        .detail("not_found.path", "Unter diesem Pfad ist nichts.")
        .detail("invalid_request.all", "Verstöße: {violations}.")
        .detail("pen_broken", "Der Stift {name} ist {{kaputt}}, zum {times}. Mal.")
        .detail("unfit", "Hier fehlt {what}.")
        .violation("minimum", "muss mindestens {minimum} sein")
        .violation("min_length", "mindestens {min_length} Zeichen")
        .violation("reserved", "{name} ist vergeben")
        .violation("reserved", "ist vergeben")
}

#[derive(Debug, Problem)]
enum PenError {
    /// The pen is broken.
    #[problem(
        status = 409,
        code = "pen_broken",
        title = "Pen broken",
        detail = "The pen {name:?} is broken, time {times:>3}."
    )]
    Broken { name: String, times: u8 },
}

#[derive(Deserialize, Schema)]
#[schema(validate = not_reserved)]
struct Pen {
    name: String,
}

fn not_reserved(pen: &Pen) -> std::result::Result<(), Invalid> {
    if pen.name == "{minimum}" {
        return Err(Invalid::new("reserved", "is reserved").param("name", pen.name.clone()));
    }
    Ok(())
}

#[derive(Request)]
struct BreakPen {
    #[body]
    pen: Pen,
}

#[derive(Request)]
struct Greet {
    locale: Locale,
}

/// A greeting.
#[derive(Serialize, Schema, Response)]
#[response(status = 200)]
struct Greeting {
    text: &'static str,
}

/// Varies by cookies, and not by languages.
struct Varies;

impl Middleware for Varies {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        request.set_response_header(VARY, HeaderValue::from_static("Cookie"));
        Ok(next.run(request).await)
    }
}

fn pens(configuration: Configuration) -> ApiBuilder {
    let greet = |path: &str, id: &str| {
        Route::get(path).id(id).public().handler(async |request: Greet| {
            let text = if request.locale.tag() == "de" { "Guten Tag" } else { "Hello" };
            Ok(Greeting { text })
        })
    };
    builder(configuration)
        .controller(Route::post("/pens").id("break").public().problems::<PenError>().handler(
            async |request: BreakPen| -> Result<NoContent> {
                Err(PenError::Broken { name: request.pen.name, times: 2 })?
            },
        ))
        .controller(greet("/greeting", "greet"))
        .group(Group::new("/varying").middleware(Varies).controller(greet("/greeting", "greetVarying")))
}

fn api() -> Api {
    pens(configuration().language(german())).build().unwrap()
}

#[test]
fn problems_are_in_the_language_of_the_request() {
    let server = Server::start(api());
    for (language, tag, title, detail) in [
        (&[][..], "en", "Not found", "Nothing exists at this path."),
        (&["Accept-Language: de"], "de", "Nicht gefunden", "Unter diesem Pfad ist nichts."),
        (&["Accept-Language: fr, de-CH;q=0.5"], "de", "Nicht gefunden", "Unter diesem Pfad ist nichts."),
        (&["Accept-Language: fr", "Accept-Language: de"], "de", "Nicht gefunden", "Unter diesem Pfad ist nichts."),
        (&["Accept-Language: de;q=0.2, en;q=0.8"], "en", "Not found", "Nothing exists at this path."),
        (&["Accept-Language: ;;;,q=1,*;q=0"], "en", "Not found", "Nothing exists at this path."),
    ] {
        let reply = server.send("GET", "/nothing", language);
        let body = reply.json();
        assert_eq!((reply.status(), body["title"].as_str(), body["detail"].as_str()), (404, Some(title), Some(detail)));
        assert_eq!(body["code"], "not_found");
        assert_eq!(reply.header("content-language").as_deref(), Some(tag), "{}", reply.text());
        assert_eq!(reply.header("vary").as_deref(), Some("Accept-Language"), "{}", reply.text());
    }
    // Success does not depend on the language.
    let limited = server.send("GET", "/limited", &["Accept-Language: de"]);
    assert_eq!((limited.status(), limited.header("content-language"), limited.header("vary")), (204, None, None));
}

#[test]
fn a_hostile_header_costs_nothing_and_chooses_the_default() {
    let server = Server::start(api());
    for value in
        ["de-".repeat(2_000), "*;q=0,".repeat(2_000), "-".repeat(6_000), ",".repeat(6_000), "\u{fc}".repeat(1_000)]
    {
        let reply = server.send("GET", "/nothing", &[&format!("Accept-Language: {value}")]);
        assert_eq!(
            (reply.status(), reply.header("content-language").as_deref()),
            (404, Some("en")),
            "{}",
            reply.text()
        );
    }
}

#[test]
fn violations_and_own_problems_are_translated() {
    let client = TestClient::new(api());
    let post = |path: &str, body: Value| client.post(path).header("accept-language", "de").json(&body).send();
    let invalid = post("/shops/0/orders", json!({ "article": "", "quantity": "x" }));
    invalid.assert_status(422).assert_header("content-language", "de").assert_documented();
    let body = invalid.json::<Value>();
    assert_eq!((&body["title"], &body["detail"]), (&json!("Ungültige Anfrage"), &json!("Verstöße: 3.")));
    let messages: Vec<_> = invalid.violations().into_iter().map(|one| one.message).collect();
    // What the translation lacks is in English.
    assert_eq!(messages, ["muss mindestens 1 sein", "mindestens 1 Zeichen", "must be an integer, not a string"]);

    let broken = post("/pens", json!({ "name": "{times}" }));
    broken.assert_status(409).assert_problem("pen_broken").assert_documented();
    let body = broken.json::<Value>();
    assert_eq!(body["title"], "Stift kaputt");
    assert_eq!(body["detail"], "Der Stift \"{times}\" ist {kaputt}, zum   2. Mal.");

    let reserved = post("/pens", json!({ "name": "{minimum}" }));
    assert_eq!(reserved.assert_status(422).violations()[0].message, "{minimum} ist vergeben");

    let own = client.get("/fail/sold_out").header("accept-language", "de").send();
    assert_eq!(own.assert_documented().json::<Value>()["title"], "Ausverkauft");
    let panic = client.get("/fail/panic").header("accept-language", "de").send();
    assert_eq!(panic.assert_status(500).assert_documented().json::<Value>()["title"], "Interner Fehler");
    assert!(panic.cause().unwrap().starts_with("500 internal_error: Internal server error"));
}

#[test]
fn a_route_that_reads_the_locale_says_so() {
    let server = Server::start(api());
    for (path, vary) in [("/greeting", "Accept-Language"), ("/varying/greeting", "Cookie, Accept-Language")] {
        for (language, tag, text) in [("de-AT", "de", "Guten Tag"), ("fr", "en", "Hello")] {
            let reply = server.send("GET", path, &[&format!("Accept-Language: {language}")]);
            assert_eq!((reply.status(), reply.json()["text"].as_str()), (200, Some(text)));
            assert_eq!(reply.header("content-language").as_deref(), Some(tag), "{}", reply.text());
            assert_eq!(reply.header("vary").as_deref(), Some(vary), "{}", reply.text());
        }
    }
    let client = TestClient::new(api());
    client.get("/greeting").header("accept-language", "de").send().assert_status(200).assert_documented();
    client.head("/greeting").send().assert_status(200).assert_header("content-language", "en");
}

#[test]
fn the_document_has_the_headers() {
    let document: Value = serde_json::from_str(&openapi::Document::from_api(&api()).to_json()).unwrap();
    let greet = &document["paths"]["/greeting"]["get"];
    let parameter = &greet["parameters"][0];
    assert_eq!((&parameter["in"], &parameter["name"]), (&json!("header"), &json!("Accept-Language")));
    assert!(parameter["description"].as_str().unwrap().contains("`en`, `de`"), "{parameter}");
    for name in ["Content-Language", "Vary"] {
        assert!(greet["responses"]["200"]["headers"][name].is_object(), "{greet}");
        let not_found = &document["components"]["responses"]["PenBroken"]["headers"][name];
        assert!(not_found.is_object(), "{not_found}");
    }
    assert_eq!(document["paths"]["/limited"]["get"]["responses"]["204"]["headers"]["Vary"], Value::Null);
}

#[test]
fn beside_cors_both_headers_vary() {
    let api = pens(configuration().language(german()))
        .middleware(Cors::new().allow_origins(["https://shop.example.com"]))
        .build()
        .unwrap();
    let server = Server::start(api.clone());
    let headers = ["Origin: https://shop.example.com", "Accept-Language: de"];
    let reply = server.send("GET", "/fail/internal", &headers);
    let vary = reply.header("vary").unwrap();
    assert!(vary.contains("Origin") && vary.contains("Accept-Language"), "{}", reply.text());
    let response = TestClient::new(api).get("/fail/internal").header("origin", "https://shop.example.com").send();
    response.assert_status(500).assert_documented();
}

#[test]
fn another_default_is_chosen_by_configuration() {
    let api = pens(configuration().language(german()).default_language("de")).build().unwrap();
    let client = TestClient::new(api);
    client.get("/nothing").send().assert_header("content-language", "de");
    client.get("/nothing").header("accept-language", "en-GB").send().assert_header("content-language", "en");
}

/// A form that shows the language.
struct Localised;

/// A message in a language.
#[derive(Serialize, Schema)]
struct Message {
    language: String,
    message: String,
}

impl ErrorForm for Localised {
    type Body = Message;

    fn render(&self, problem: &ProblemView<'_>) -> Message {
        Message { language: problem.language().to_owned(), message: problem.title().to_owned() }
    }
}

#[test]
fn the_form_of_errors_gets_the_translated_texts() {
    let api = pens(configuration().language(german()).error_form(Localised)).build().unwrap();
    let client = TestClient::new(api);
    let response = client.get("/nothing").header("accept-language", "de").send();
    response.assert_problem("not_found").assert_header("content-language", "de");
    response.assert_json(&json!({ "language": "de", "message": "Nicht gefunden" }));
    let alone = builder(configuration().error_form(Localised)).build().unwrap();
    let alone = TestClient::new(alone).get("/nothing").header("accept-language", "de").send();
    assert_eq!((alone.header("content-language"), alone.header("vary")), (None, None));
    alone.assert_json(&json!({ "language": "en", "message": "Not found" }));
}

#[test]
fn what_a_translation_lacks_is_listed() {
    let missing = pens(configuration().language(german())).build().unwrap().missing_translations();
    for line in ["de: title of `conflict`", "de: detail of `not_found.entity`", "de: violation `maximum`"] {
        assert!(missing.iter().any(|known| known == line), "{line}: {missing:?}");
    }
    for line in ["de: title of `not_found`", "de: title of `pen_broken`", "de: violation `minimum`"] {
        assert!(!missing.iter().any(|known| known == line), "{line}: {missing:?}");
    }
    let english = pens(configuration().language(Translation::new("en-GB"))).build().unwrap();
    assert_eq!(english.missing_translations(), Vec::<String>::new());
    let empty = pens(configuration().language(Translation::new("fr"))).build().unwrap().missing_translations();
    assert!(empty.contains(&"fr: title of `pen_broken`".to_owned()), "{empty:?}");
}

#[test]
fn mistakes_are_build_errors() {
    let errors = |configuration: Configuration| builder(configuration).build().unwrap_err().to_string();
    let wrong = configuration().language(Translation::new("de").violation("minimum", "{min}"));
    assert!(errors(wrong).contains("contains the unknown placeholder `{min}` (known: `{minimum}`)"));
    assert!(errors(configuration().default_language("de")).contains("the default language `de` is not declared"));
    let no_language = pens(configuration()).build().unwrap_err().to_string();
    assert!(no_language.contains("English is the only language; declare another one with `Configuration::language`"));
}
