//! Pages of other origins, which can read what CORS allows.

use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::production::Cors;
use restwright::resource::{Endpoints, MemoryStore};
use restwright_auth::{ApiKey, ApiKeyAuthenticator, KeyList};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Chromium, TURN, serve};

const KEY: &str = "page.4c8c8f55d9a14bb6b4b6b31ce1c6cbd04c8c8f55d9a14bb6b4b6b31ce1c6cbd0";

#[derive(Serialize, Deserialize, Schema)]
struct Pet {
    name: String,
}

/// A pet, and the cookie by which the service recognises the browser.
#[derive(Response)]
#[response(status = 200)]
struct OnePet {
    #[header("X-Visits")]
    visits: i64,
    #[header("Set-Cookie")]
    cookie: &'static str,
    #[body]
    pet: Pet,
}

#[derive(Request)]
struct Visit {
    #[cookie]
    visitor: Option<String>,
}

#[derive(Request)]
struct ChangePet {
    #[segment]
    id: i64,
    #[header("X-Reason")]
    reason: String,
    #[body]
    pet: Pet,
}

/// A person who owns pets.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/owners")]
struct Owner {
    #[property(id)]
    id: i64,
    #[property(filter(eq))]
    name: String,
}

fn pet(visits: i64, name: String) -> OnePet {
    OnePet { visits, cookie: "visitor=ann; HttpOnly", pet: Pet { name } }
}

fn api(cors: Cors) -> Api {
    let key = KEY.parse::<ApiKey>().unwrap().subject("page").scopes(["write"]);
    let keys = ApiKeyAuthenticator::new(KeyList::new([key]));
    Api::builder(Configuration::new("pets", "1.0.0").authenticator("key", keys))
        .middleware(cors)
        .controller(
            Route::get("/pets")
                .id("pets")
                .public()
                .handler(async |visit: Visit| Ok(pet(i64::from(visit.visitor.is_some()), "Bo".to_owned()))),
        )
        .controller(
            Route::patch("/pets/{id}").id("change").authorize("key", ["write"]).handler(async |change: ChangePet| {
                Ok(pet(change.id, format!("{} ({})", change.pet.name, change.reason)))
            }),
        )
        .build()
        .unwrap()
}

/// The parts of a response that a script of the page can read: status, `X-Visits`, and the name or the code in the
/// body. Null if the browser blocks the response.
fn fetch(page: &mut Chromium, url: &str, options: &Value) -> Value {
    page.evaluate(&format!(
        "fetch({}, {options}).then(async (response) => {{
            const body = await response.json();
            return [response.status, response.headers.get('x-visits'), body.name ?? body.code];
        }}, () => null)",
        json!(url)
    ))
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_page_of_an_allowed_origin_reads_allowed_responses() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let other = serve(api(Cors::new()));
    let cors = Cors::new().allow_origin(&other).allow_credentials().max_age(Duration::from_secs(600));
    let (open, credentials) = (serve(api(Cors::new().allow_any_origin())), serve(api(cors)));
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    let change = |key: &str| {
        let headers = json!({ "Content-Type": "application/json", "X-Api-Key": key, "X-Reason": "adopted" });
        json!({ "method": "PATCH", "body": "{\"name\": \"Mia\"}", "headers": headers })
    };
    let (omit, include) = (json!({ "credentials": "omit" }), json!({ "credentials": "include" }));
    for (service, path, options, expected) in [
        (&open, "/pets", &json!({}), json!([200, "0", "Bo"])),
        (&open, "/pets/7", &change(KEY), json!([200, "7", "Mia (adopted)"])),
        // The browser rejects `*` for a request with cookies.
        (&open, "/pets", &include, json!(null)),
        (&credentials, "/pets", &omit, json!([200, "0", "Bo"])),
        (&credentials, "/pets", &include, json!([200, "1", "Bo"])),
        (&credentials, "/pets", &omit, json!([200, "0", "Bo"])),
        (&credentials, "/pets/7", &change(KEY), json!([200, "7", "Mia (adopted)"])),
        (&credentials, "/pets/7", &change("wrong"), json!([401, null, "unauthenticated"])),
        (&credentials, "/nothing", &json!({}), json!([404, null, "not_found"])),
        (&credentials, "/nothing", &change(KEY), json!([404, null, "not_found"])),
        // The path does not support the method, and no operation reads the header.
        (&credentials, "/pets", &json!({ "method": "PUT" }), json!(null)),
        (&credentials, "/pets", &json!({ "headers": { "X-Reason": "none" } }), json!(null)),
    ] {
        assert_eq!(fetch(&mut page, &format!("{service}{path}"), options), expected, "{path} {options}");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_page_of_an_allowed_origin_sends_a_query() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let owners = |cors: Cors| {
        let store = MemoryStore::new();
        let api = Api::builder(Configuration::new("owners", "1.0.0")).middleware(cors);
        serve(api.module(&Endpoints::<Owner>::new(store, Access::public())).build().unwrap())
    };
    let other = serve(api(Cors::new()));
    let (open, closed) = (owners(Cors::new().allow_origin(&other)), owners(Cors::new()));
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    let mut send = |service: &str, method: &str, body: &Value| {
        let options = json!({
            "method": method,
            "headers": { "Content-Type": "application/json" },
            "body": body.to_string(),
        });
        page.evaluate(&format!(
            "fetch('{service}/owners', {options}).then(async (response) => {{
                const data = (await response.json()).data;
                return [response.status, Array.isArray(data) ? data.map((owner) => owner.name) : null];
            }}, () => null)"
        ))
    };
    for name in ["Ada", "Bo"] {
        assert_eq!(send(&open, "POST", &json!({ "name": name })), json!([201, null]));
    }
    let not_bo = json!({ "filter": { "not": { "name": { "eq": "Bo" } } } });
    assert_eq!(send(&open, "QUERY", &not_bo), json!([200, ["Ada"]]));
    assert_eq!(send(&open, "QUERY", &json!({ "filter": { "colour": {} } })), json!([422, null]));
    // The preflight does not allow the origin.
    assert_eq!(send(&closed, "QUERY", &not_bo), json!(null));
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn a_page_of_another_origin_reads_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let other = serve(api(Cors::new()));
    let (some, null) =
        (serve(api(Cors::new().allow_origin("https://shop.example.com"))), serve(api(Cors::new().allow_null_origin())));
    let Some(mut page) = Chromium::open(&format!("{other}/nothing")) else { return };
    for service in [&some, &null] {
        for options in [json!({}), json!({ "headers": { "X-Reason": "none" } })] {
            assert_eq!(fetch(&mut page, &format!("{service}/pets"), &options), json!(null), "{options}");
        }
    }
    assert!(page.complaints().iter().any(|one| one.contains("blocked by CORS policy")), "{:?}", page.complaints());
    assert_eq!(fetch(&mut page, &format!("{other}/pets"), &json!({})), json!([200, "0", "Bo"]));
    // A sandboxed frame has the origin `null`, regardless of its creator.
    let mut status = |service: &str| {
        page.evaluate(&format!(
            "new Promise((resolve) => {{
                addEventListener('message', (message) => resolve(message.data), {{ once: true }});
                const frame = document.createElement('iframe');
                frame.sandbox = 'allow-scripts';
                frame.srcdoc = `<script>
                    fetch('{service}/pets').then((response) => response.status, () => null)
                        .then((status) => parent.postMessage(status, '*'));
                </script>`;
                document.body.append(frame);
            }})"
        ))
    };
    assert_eq!(status(&null), json!(200));
    assert_eq!(status(&some), json!(null));
    assert_eq!(status(&other), json!(null));
}
