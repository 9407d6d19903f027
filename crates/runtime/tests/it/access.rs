//! Requirements, guests, alternatives and conjunctions.

use restwright_core::auth::{Access, AuthorizationContext, Decision, Policy};
use restwright_core::operation::Operation;
use restwright_core::problem::catalogue;
use restwright_core::{Problem, Result};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde_json::json;

use crate::support::{RED, WRONG_RED, Words, check, configuration, route};

/// Allows callers to see only their own account. `nothing` is hidden, and `down` cannot be decided.
struct Own;

impl Policy for Own {
    fn describe(&self, operation: &mut Operation) {
        operation.add_problem(catalogue::NOT_FOUND);
    }

    async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
        assert_eq!(authorization.route().template().as_str(), "/own/{id}");
        assert!(authorization.path().starts_with("/own/"));
        match authorization.parameter("id").as_deref() {
            Some("nothing") => Err(Problem::not_found("There is no such thing.")),
            Some("an/x") => {
                assert_eq!(authorization.path(), "/own/an%2Fx");
                Ok(Decision::Allow)
            }
            Some("down") => Err(Problem::unavailable("the database is down")),
            id if id == authorization.identity().subject() => Ok(Decision::Allow),
            _ => Ok(Decision::deny("secret reason")),
        }
    }
}

fn client() -> TestClient {
    let red = || Access::authenticated("red");
    let api = Api::builder(configuration())
        .controller(route("/open", Access::public()))
        .controller(route("/guests", Access::optional("red").all_scopes(["pets:read"])))
        .controller(route("/members", Access::optional("red").all_scopes(["pets:write"])))
        .controller(route("/two", red().or("blue").and("green").all_scopes(["a:b"])))
        .controller(route("/permissions", red().all_permissions(["a", "b"]).any_permission(["c", "d"])))
        .controller(route("/roles", red().any_role("/realm/roles", ["admin", "owner"])))
        .controller(route(
            "/groups",
            red().any_role("/groups", ["Domain Users", "Käufer \"A\""]).all_permissions(["ä b"]),
        ))
        .controller(route("/claim", red().any_role("a/b", ["x"])))
        .controller(route("/missing", red().any_role("/realm/nothing/0", ["x"])))
        .controller(route(
            "/token",
            Access::authenticated("jwt").or("red").all_scopes(["a:b"]).all_scopes(["c:d", "a:b"]),
        ))
        .controller(route("/any", Access::authenticated("jwt").any_scope(["a:b", "c:d"])))
        .controller(route("/both", Access::optional("jwt").all_scopes(["a:b"]).any_scope(["c:d", "e:f"])))
        .controller(route("/known", Access::authenticated("jwt").all_permissions(["a"])))
        .controller(route("/own/{id}", red().policy(Own)))
        .build()
        .unwrap();
    TestClient::new(api)
}

#[test]
fn guests_have_the_scopes_of_the_configuration() {
    let client = client();
    check(&client, "/guests", &[], 422, &[]);
    check(&client, "/guests", &[("X-red", "ann")], 403, &[INSUFFICIENT_READ]);
    check(&client, "/guests", &[("X-red", "wrong")], 401, &[WRONG_RED]);
    check(&client, "/members", &[], 401, &[RED]);
    check(&client, "/members", &[("X-red", "ann pets:write")], 422, &[]);
    for path in ["/open?n=1", "/guests?n=1"] {
        assert_eq!(
            check(&client, path, &[], 200, &[]),
            json!({ "who": "guest by nothing", "scopes": "pets:read" }),
            "{path}"
        );
    }
}

const INSUFFICIENT: &str = "red realm=\"who\", error=\"insufficient_scope\"";
const INSUFFICIENT_READ: &str = "red realm=\"who\", error=\"insufficient_scope\", scope=\"pets:read\"";

#[test]
fn alternatives_and_conjunctions() {
    let client = client();
    let (blue, green) = ("blue realm=\"who\"", "green realm=\"who\"");
    let guest = check(&client, "/two", &[], 401, &[RED, blue, green]);
    let places = "the header `X-red`, or the header `X-blue` with the header `X-green`";
    assert_eq!(guest["detail"], format!("Credentials are required: {places}."));
    check(&client, "/two", &[("X-red", "ann a:b")], 422, &[]);
    check(&client, "/two", &[("X-red", "wrong"), ("X-blue", "ann a:b")], 401, &[WRONG_RED, blue, green]);
    check(&client, "/two", &[("X-blue", "ann a:b")], 401, &[RED, blue, green]);
    check(&client, "/two", &[("X-blue", "ann a:b"), ("X-green", "key")], 422, &[]);
}

/// A client that requests a token needs the list of required scopes. "Any of these scopes" cannot be expressed as a
/// list.
#[test]
fn lists_required_scopes_in_bearer_challenges() {
    let client = client();
    let plain = "Bearer realm=\"who\"";
    let scoped = |scopes: &str| format!("{plain}, scope=\"{scopes}\"");
    let wrong = format!("{plain}, error=\"invalid_token\", error_description=\"It is wrong\"");
    let insufficient = format!("{plain}, error=\"insufficient_scope\"");
    let none: &[(&str, &str)] = &[];
    for (path, headers, status, expected) in [
        ("/token", none, 401, vec![scoped("a:b c:d"), RED.to_owned()]),
        ("/token", &[("X-Bearer", "wrong")], 401, vec![format!("{wrong}, scope=\"a:b c:d\""), RED.to_owned()]),
        ("/token", &[("X-red", "wrong")], 401, vec![scoped("a:b c:d"), WRONG_RED.to_owned()]),
        ("/token", &[("X-Bearer", "ann a:b")], 403, vec![format!("{insufficient}, scope=\"c:d a:b\"")]),
        ("/any", none, 401, vec![plain.to_owned()]),
        ("/any", &[("X-Bearer", "wrong")], 401, vec![wrong.clone()]),
        ("/any", &[("X-Bearer", "ann")], 403, vec![format!("{insufficient}, scope=\"a:b c:d\"")]),
        ("/both", none, 401, vec![scoped("a:b")]),
        ("/known", none, 401, vec![plain.to_owned()]),
        ("/known", &[("X-Bearer", "ann")], 403, vec![insufficient.clone()]),
    ] {
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&client, path, headers, status, &expected);
    }
}

#[test]
fn permissions_and_roles() {
    let client = client();
    check(&client, "/permissions", &[("X-red", "ann a b d")], 422, &[]);
    let problem = check(&client, "/permissions", &[("X-red", "ann a")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_permissions"], json!(["b"]));
    let problem = check(&client, "/permissions", &[("X-red", "ann a b")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_permissions"], json!(["c", "d"]));
    check(&client, "/roles", &[("X-red", "ann owner")], 422, &[]);
    let problem = check(&client, "/roles", &[("X-red", "ann visitor")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_roles"], json!(["admin", "owner"]));
    let problem = check(&client, "/groups", &[("X-red", "ann")], 403, &[INSUFFICIENT]);
    assert_eq!(problem["missing_roles"], json!(["Domain Users", "Käufer \"A\""]));
    assert_eq!(problem["detail"], "The caller needs one of these roles: Domain Users, Käufer \"A\".");
    check(&client, "/claim", &[("X-red", "ann")], 422, &[]);
    check(&client, "/missing", &[("X-red", "ann x")], 403, &[INSUFFICIENT]);
}

#[test]
fn policies_decide_before_anything_is_validated() {
    let client = client();
    check(&client, "/own/ann", &[], 401, &[RED]);
    check(&client, "/own/ann", &[("X-red", "ann")], 422, &[]);
    check(&client, "/own/a%6En", &[("X-red", "ann")], 422, &[]);
    check(&client, "/own/a%6E%2fx", &[("X-red", "ann")], 422, &[]);
    let problem = check(&client, "/own/bob", &[("X-red", "ann")], 403, &[INSUFFICIENT]);
    let members: Vec<_> = problem.as_object().unwrap().keys().collect();
    assert_eq!(members, ["type", "title", "status", "detail", "code", "request_id"]);
    assert_eq!(problem["detail"], "The caller lacks permission for this operation.");
    check(&client, "/own/nothing", &[("X-red", "ann")], 404, &[]);
    check(&client, "/own/down", &[("X-red", "ann")], 503, &[]);
}

#[test]
fn rejects_impossible_access() {
    let errors = Api::builder(configuration().authenticator("broken", Words("broken")))
        .controller(route("/a", Access::authenticated("red").any_scope(Vec::<String>::new())))
        .controller(route("/b", Access::authenticated("red").all_scopes(["a b"])))
        .controller(route("/f", Access::authenticated("red").or("blue").and("green").and("blue").and("blue")))
        .build()
        .unwrap_err();
    let found: Vec<_> = errors.messages().iter().map(|message| message.split(';').next().unwrap()).collect();
    assert_eq!(
        found,
        [
            "authenticator `broken`: it is broken",
            "GET /a: the access requires one of an empty list, which no caller can meet",
            "GET /b: `a b` is not a valid scope (RFC 6749, section 3.3)",
            "GET /f: the access contains the scheme `blue` twice in `blue + green + blue + blue`",
        ]
    );
}

#[test]
fn registers_the_components_of_authenticators() {
    let failures =
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(client().api().ready());
    let names: Vec<_> = failures.unwrap_err().iter().map(|failure| failure.component().to_owned()).collect();
    assert_eq!(names, ["red", "blue", "green", "Bearer"]);
}

#[test]
fn access_is_explained() {
    let explained = client().api().explain();
    for expected in
        ["optional red: pets:write", "red | blue + green: a:b", "any role of admin owner in /realm/roles", "policy Own"]
    {
        assert!(explained.contains(expected), "{explained}");
    }
}

#[test]
fn lists_the_routes_that_admit_guests() {
    restwright_testing::assert_guests_only_at(
        client().api(),
        ["GET /open", "GET /guests", "GET /members", "GET /both"],
    );
}

#[test]
#[should_panic(expected = "open to guests but not listed: GET /members; listed but not open to guests: GET /two")]
fn detects_an_unlisted_open_route() {
    restwright_testing::assert_guests_only_at(client().api(), ["GET /open", "GET /guests", "GET /two", "GET /both"]);
}
