//! "Authorize" on the page: the entered credentials are sent with the next request.

use std::sync::{Arc, Mutex};

use restwright_auth::{ApiKey, ApiKeyAuthenticator, Issuer, JwtAuthenticator, KeyList};
use restwright_openapi::Documentation;
use restwright_runtime::Api;
use restwright_runtime::core::auth::{Access, Authenticator};
use restwright_runtime::core::http::{HeaderName, HttpRequest, HttpResponse, header};
use restwright_runtime::core::operation::OAuthFlow;
use restwright_runtime::core::{Configuration, Middleware, Next, Result, Route};

use super::provider::{Provider, SECRET, TOKEN};
use super::{Chromium, TURN, serve};
use crate::support::Endpoint;

/// The request headers with credentials that the service receives.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Middleware for Seen {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        for name in [header::AUTHORIZATION, HeaderName::from_static("x-api-key")] {
            self.0.lock().unwrap().extend(request.header(&name).map(|value| format!("{name}: {value}")));
        }
        Ok(next.run(request).await)
    }
}

/// Authorises on the page of a service with one protected operation, sends a request, and returns what the service
/// received. Returns `false` if no browser is installed.
fn check(
    scheme: impl Authenticator,
    documentation: &Documentation,
    authorise: impl Fn(&mut Chromium),
    expected: &str,
) -> bool {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let seen = Seen::default();
    let pets = Route::get("/pets").id("pets").access(Access::authenticated("scheme").all_scopes(["pets:read"]));
    let api = Api::builder(Configuration::new("pets", "1.0.0").authenticator("scheme", scheme))
        .module(documentation)
        .middleware(seen.clone())
        .controller(Endpoint(pets))
        .build()
        .unwrap();
    let Some(mut page) = Chromium::open(&format!("{}/docs", serve(api))) else { return false };
    let try_out = |page: &mut Chromium| {
        page.click(".opblock .execute");
        page.text(".live-responses-table .response .response-col_status")
    };
    page.click(".opblock-summary-control");
    page.text(".opblock .responses-table .response"); // it is complete
    assert!(try_out(&mut page).starts_with("401"));
    page.click(".btn-clear");
    page.click(".auth-wrapper .authorize");
    authorise(&mut page);
    page.click(".modal-ux .btn-done");
    assert!(try_out(&mut page).starts_with("204"), "{:#?}", page.complaints());
    assert_eq!(*seen.0.lock().unwrap(), [expected]);
    let refused: Vec<_> = page.complaints().iter().filter(|complaint| !complaint.contains("401")).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    true
}

fn jwt() -> JwtAuthenticator {
    JwtAuthenticator::new(Issuer::new("https://login.example.com").audience("pets").shared_secret(SECRET))
}

/// Enters a value in the field that the page shows.
fn value(text: &str) -> impl Fn(&mut Chromium) {
    move |page| {
        page.enter(".modal-ux input[type=text], .modal-ux input[type=password]", text);
        page.click(".modal-ux .authorize[type=submit]");
    }
}

/// Confirms that the page, as a client of the provider, may have the scope `pets:read`.
fn consent(client: &'static str) -> impl Fn(&mut Chromium) {
    move |page| {
        if !client.is_empty() {
            page.enter(".modal-ux input[data-name=clientId]", client);
        }
        page.click(".modal-ux input[data-value='pets:read'] + label");
        page.click(".modal-ux .authorize[aria-label='Apply given OAuth2 credentials']");
        page.text(".modal-ux .authorize[aria-label='Remove authorization']");
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn with_an_api_key() {
    let new = ApiKey::generate("ci").unwrap();
    let keys = KeyList::new([new.key().clone().scopes(["pets:read"])]);
    let expected = format!("x-api-key: {}", new.text());
    check(ApiKeyAuthenticator::new(keys), &Documentation::public(), value(new.text()), &expected);
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn with_a_bearer_token() {
    check(jwt(), &Documentation::public(), value(TOKEN), &format!("authorization: Bearer {TOKEN}"));
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn with_an_authorization_code() {
    let provider = Provider::start();
    let flow = OAuthFlow::authorization_code(format!("{}/authorize", provider.url), format!("{}/token", provider.url));
    let jwt = jwt().oauth_flow(flow);
    if check(jwt, &Documentation::public(), consent("page"), &format!("authorization: Bearer {TOKEN}")) {
        assert_eq!(["client_id", "scope"].map(|name| provider.asked(name)), ["page", "pets:read"]);
    }
}

#[test]
#[ignore = "it needs Chromium, and the gate runs it"]
fn with_open_id_connect() {
    let provider = Provider::start();
    let jwt = jwt().open_id_connect(format!("{}/.well-known/openid-configuration", provider.url));
    let documentation = Documentation::public().client_id("pets-page");
    if check(jwt, &documentation, consent(""), &format!("authorization: Bearer {TOKEN}")) {
        assert_eq!(["client_id", "scope"].map(|name| provider.asked(name)), ["pets-page", "pets:read"]);
    }
}
