//! Several schemes of one request: the caller, and incomplete credentials.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright_core::auth::{Access, Authentication, Authenticator, AuthorizationContext, Decision, Identity, Policy};
use restwright_core::http::{HeaderName, HeaderValue, HttpRequest, HttpResponse};
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::{Middleware, Next, Result, Route};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde_json::json;

use crate::support::{RED, WRONG_RED, Who, check, configuration, route};

const BLUE: &str = "blue realm=\"who\"";
const GREEN: &str = "green realm=\"who\"";

/// Requires that red and blue identify the same person.
struct OnePerson;

impl Policy for OnePerson {
    async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
        let of = |scheme| authorization.identity().of_scheme(scheme).and_then(Identity::subject);
        let one = of("red").is_some() && of("red") == of("blue");
        Ok(if one { Decision::Allow } else { Decision::deny("red and blue are two people") })
    }
}

fn client() -> TestClient {
    let both = || Access::authenticated("red").and("blue");
    let api = Api::builder(configuration())
        .controller(route("/scopes", both().all_scopes(["a:b"])))
        .controller(route("/permissions", both().all_permissions(["feed"])))
        .controller(route("/roles", both().any_role("/realm/roles", ["owner"])))
        .controller(route("/one", both().policy(OnePerson)))
        .controller(route("/both", both()))
        .controller(route("/optional", Access::optional("red").and("blue")))
        .controller(route("/either", both().or("green")))
        .controller(route("/more", both().or("red").all_scopes(["a:b"])))
        .controller(route("/red", Access::authenticated("red")))
        .controller(route("/red-optional", Access::optional("red")))
        .build()
        .unwrap();
    TestClient::new(api)
}

#[test]
fn the_first_scheme_identifies_the_caller() {
    let client = client();
    let needs = "red realm=\"who\", error=\"insufficient_scope\"";
    let scope = format!("{needs}, scope=\"a:b\"");
    let mallory = ("X-blue", "mallory a:b feed owner");
    check(&client, "/scopes", &[("X-red", "ann"), mallory], 403, &[&scope]);
    check(&client, "/permissions", &[("X-red", "ann"), mallory], 403, &[needs]);
    check(&client, "/roles", &[("X-red", "ann"), mallory], 403, &[needs]);
    let response = check(&client, "/scopes?n=1", &[("X-red", "ann a:b"), ("X-blue", "mallory c:d")], 200, &[]);
    assert_eq!(response, json!({ "who": "ann by red, mallory by blue", "scopes": "a:b" }));
}

#[test]
fn subjects_are_compared_by_a_policy() {
    let client = client();
    let needs = "red realm=\"who\", error=\"insufficient_scope\"";
    check(&client, "/one", &[("X-red", "ann"), ("X-blue", "mallory")], 403, &[needs]);
    check(&client, "/one", &[("X-red", "ann"), ("X-blue", "ann")], 422, &[]);
}

#[test]
fn documents_list_scopes_at_their_scheme() {
    let access = Access::authenticated("red").and("blue").or("green").all_scopes(["a:b"]);
    let found: Vec<_> =
        Access::from(access).security().into_iter().map(|requirement| json!(requirement.schemes)).collect();
    assert_eq!(found, [json!({ "red": ["a:b"], "blue": [] }), json!({ "green": ["a:b"] })]);
}

#[test]
fn rejects_wrong_credentials_before_missing_ones() {
    let client = client();
    let wrong_blue = WRONG_RED.replacen("red", "blue", 1);
    for path in ["/both", "/optional"] {
        check(&client, path, &[("X-blue", "wrong")], 401, &[RED, &wrong_blue]);
        check(&client, path, &[("X-red", "wrong")], 401, &[WRONG_RED, BLUE]);
        check(&client, path, &[("X-red", "ann"), ("X-blue", "wrong")], 401, &[RED, &wrong_blue]);
    }
    check(&client, "/either", &[("X-blue", "wrong"), ("X-green", "ann")], 401, &[RED, &wrong_blue, GREEN]);
}

#[test]
fn rejects_incomplete_credentials() {
    let client = client();
    for (path, headers, challenges, missing) in [
        ("/both", ("X-red", "ann"), vec![RED, BLUE], "blue"),
        ("/both", ("X-blue", "ann"), vec![RED, BLUE], "red"),
        ("/optional", ("X-red", "ann"), vec![RED, BLUE], "blue"),
        ("/optional", ("X-blue", "ann"), vec![RED, BLUE], "red"),
        ("/either", ("X-blue", "ann"), vec![RED, BLUE, GREEN], "red"),
    ] {
        let problem = check(&client, path, &[headers], 401, &challenges);
        let expected = format!("The credentials are incomplete: the header `X-{missing}` is also required.");
        assert_eq!(problem["detail"], expected, "{path} {headers:?}");
    }
    let guest = check(&client, "/optional?n=1", &[], 200, &[]);
    assert_eq!(guest["who"], "guest by nothing");
}

#[test]
fn accepts_a_complete_alternative_next_to_an_incomplete_one() {
    let client = client();
    let by_green = check(&client, "/either?n=1", &[("X-red", "ann"), ("X-green", "app")], 200, &[]);
    assert_eq!(by_green["who"], "app by green");
    let by_red = check(&client, "/more?n=1", &[("X-red", "ann a:b")], 200, &[]);
    assert_eq!(by_red["who"], "ann by red");
}

#[test]
fn treats_a_guest_identity_as_no_credentials() {
    let client = client();
    check(&client, "/red", &[("X-red", "guest pets:write")], 401, &[RED]);
    check(&client, "/both", &[("X-red", "guest"), ("X-blue", "ann")], 401, &[RED, BLUE]);
    let guest = check(&client, "/red-optional?n=1", &[("X-red", "guest pets:write")], 200, &[]);
    assert_eq!(guest, json!({ "who": "guest by nothing", "scopes": "pets:read" }));
}

/// Finds no credentials in any request, and counts its calls.
#[derive(Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Authenticator for Counting {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Header, "X-count")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        self.0.fetch_add(1, Ordering::Relaxed);
        Authentication::NoCredentials
    }
}

#[test]
fn calls_each_scheme_once_per_request() {
    let count = Counting::default();
    let access = Access::authenticated("count").and("red").or("count").and("blue").or("count").or("red");
    let api = Api::builder(configuration().authenticator("count", count.clone()))
        .controller(Who(Route::get("/").access(access)))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    for (headers, status) in [(&[][..], 401), (&[("X-red", "ann")], 422)] {
        let request = headers.iter().fold(client.get("/"), |request, (name, value)| request.header(name, value));
        request.send().assert_status(status).assert_documented();
        assert_eq!(count.0.swap(0, Ordering::Relaxed), 1, "{headers:?}");
    }
}

/// Accepts every key of a parameter of the query.
struct KeyInQuery(&'static str);

impl Authenticator for KeyInQuery {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(ApiKeyLocation::Query, self.0)
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let is_there = request.is_credential_in_query(self.0);
        if is_there {
            Authentication::Identity(Identity::builder("app").build())
        } else {
            Authentication::NoCredentials
        }
    }
}

/// Shows which parameters of the query are keys.
struct ShowKeys;

impl Middleware for ShowKeys {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let keys: Vec<_> =
            ["key", "other", "X-red", "n"].into_iter().filter(|name| request.is_credential_in_query(name)).collect();
        let keys = HeaderValue::from_str(&keys.join(" ")).unwrap();
        let mut response = next.run(request).await;
        response.headers_mut().insert(HeaderName::from_static("x-keys"), keys);
        Ok(response)
    }
}

#[test]
fn a_route_knows_which_parameters_of_its_query_are_keys() {
    let configuration =
        configuration().authenticator("key", KeyInQuery("key")).authenticator("other", KeyInQuery("other"));
    let api = Api::builder(configuration)
        .middleware(ShowKeys)
        .controller(route("/public", Access::public()))
        .controller(route("/red", Access::authenticated("red")))
        .controller(route("/key", Access::authenticated("key")))
        .controller(route("/all", Access::authenticated("key").and("red").or("other")))
        .build()
        .unwrap();
    let client = TestClient::new(api);
    for (path, expected) in [("/public", ""), ("/red", ""), ("/key", "key"), ("/all", "key other")] {
        let response = client.get(path).send();
        assert_eq!(response.headers()["x-keys"], expected, "{path}");
    }
}

/// Finds no key.
struct NoKey(ApiKeyLocation);

impl Authenticator for NoKey {
    fn describe(&self) -> SecurityScheme {
        SecurityScheme::api_key(self.0, "key")
    }

    async fn authenticate(&self, _: &mut HttpRequest) -> Authentication {
        Authentication::NoCredentials
    }
}

#[test]
fn a_401_names_the_place_of_the_credentials() {
    for (location, expected) in [
        (ApiKeyLocation::Header, "the header `key`"),
        (ApiKeyLocation::Query, "the query parameter `key`"),
        (ApiKeyLocation::Cookie, "the cookie `key`"),
    ] {
        let configuration = configuration().authenticator("place", NoKey(location));
        let api = Api::builder(configuration).controller(route("/key", Access::authenticated("place")));
        let response = TestClient::new(api.build().unwrap()).get("/key").send();
        let problem: serde_json::Value = response.assert_problem("unauthenticated").json();
        assert_eq!(problem["detail"], format!("Credentials are required: {expected}."));
    }
}
