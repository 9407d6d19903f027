//! The access of each operation, in words.

use restwright_openapi::Documentation;
use restwright_runtime::Api;
use restwright_runtime::core::auth::Access;
use restwright_runtime::core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_runtime::core::{Configuration, Route};

use super::{Chromium, TURN, serve};
use crate::support::{Endpoint, Scheme};

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn the_page_says_who_may_call_an_operation() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let token = || Access::authenticated("token");
    let cases: [(&str, Access, &str); 8] = [
        ("anyone", Access::public(), "Public"),
        ("caller", token().into(), "Needs a token"),
        ("reader", token().all_scopes(["pets:read"]).into(), "Needs a token with the scope pets:read"),
        ("writer", token().all_scopes(["read", "write"]).into(), "Needs a token with the scopes read and write"),
        ("either", token().or("key").all_scopes(["read"]).into(), "Needs a token or an API key with the scope read"),
        ("both", token().and("session").all_scopes(["read"]).into(), "Needs a cookie and a token with the scope read"),
        ("guest", Access::optional("token").into(), "Public; a token is optional"),
        ("other", Access::authenticated("password").into(), "Needs a user name and password"),
    ];
    let configuration = Configuration::new("pets", "1.0.0")
        .authenticator("token", Scheme(SecurityScheme::bearer("JWT")))
        .authenticator("key", Scheme(SecurityScheme::api_key(ApiKeyLocation::Header, "X-Api-Key")))
        .authenticator("session", Scheme(SecurityScheme::api_key(ApiKeyLocation::Cookie, "session")))
        .authenticator("password", Scheme(SecurityScheme::http("basic")));
    let api =
        cases.iter().fold(Api::builder(configuration).module(&Documentation::public()), |api, (id, access, _)| {
            api.controller(Endpoint(Route::get(format!("/{id}")).id(*id).access(access.clone())))
        });
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(api.build().unwrap()))) else { return };
    for (id, _, expected) in cases {
        page.click(&format!(".opblock[id$='-{id}'] .opblock-summary-control"));
        assert_eq!(page.text(&format!(".opblock[id$='-{id}'] .access")), expected);
    }
}
